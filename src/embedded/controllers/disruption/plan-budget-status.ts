import {
  disruptionAllowedCondition,
  type BudgetStatus,
  type DisruptionBudget,
} from '../../server/eviction/disruption-budget.ts'
import { isReady } from '../../server/eviction/decide-eviction.ts'
import { timestamp } from '../../server/identity.ts'
import type { Stored } from '../../server/store.ts'

export interface BudgetView {
  readonly budget: DisruptionBudget
  /** Those that its selector matches. */
  readonly pods: readonly Stored[]
  /** How many pods a pod's controller wants, and its UID; undefined: the pod has none; 'unknown': it was not found. */
  readonly scaleOf: (pod: Stored) => { readonly uid: string; readonly replicas: number } | 'unknown' | undefined
}

export interface BudgetPlan {
  readonly status: BudgetStatus
  /** When the first of the disrupted pods counts again. */
  readonly againAtMs: number | undefined
}

/** An evicted pod that is still there after this long was not evicted after all. */
const disruptedMs = 120_000

/** What a budget's status should be: the arithmetic of the disruption controller. */
export function planBudgetStatus(view: BudgetView, nowMs: number): BudgetPlan {
  const { budget, pods } = view
  const expected = expectedOf(view)
  if ('failure' in expected) return { status: failedStatus(budget, expected.failure, nowMs), againAtMs: undefined }
  const { expectedPods, desiredHealthy } = expected
  const disruptedPods = stillDisrupted(view, nowMs)
  const currentHealthy = pods.filter((pod) => isHealthy(pod, disruptedPods)).length
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
  const observedGeneration = budget.metadata.generation ?? 0
  const numbers = {
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    disruptedPods,
    observedGeneration,
  }
  const condition = disruptionAllowedCondition(
    { ...numbers, conditions: budget.status?.conditions ?? [] },
    observedGeneration,
    timestamp(nowMs),
  )
  const ends = Object.values(disruptedPods).map((since) => Date.parse(since) + disruptedMs)
  const { disruptedPods: noted, ...rest } = numbers
  const status = {
    ...rest,
    ...(Object.keys(noted).length === 0 ? {} : { disruptedPods: noted }),
    conditions: [condition],
  }
  return { status, againAtMs: ends.length === 0 ? undefined : Math.min(...ends) }
}

type Expected = { readonly expectedPods: number; readonly desiredHealthy: number } | { readonly failure: string }

function expectedOf(view: BudgetView): Expected {
  const { minAvailable, maxUnavailable } = view.budget.spec ?? {}
  if (maxUnavailable === undefined && typeof minAvailable === 'number') {
    return { expectedPods: view.pods.length, desiredHealthy: minAvailable }
  }
  if (maxUnavailable === undefined && minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 }
  const wanted = expectedScale(view)
  if (typeof wanted === 'string') return { failure: wanted }
  if (maxUnavailable === undefined) return { expectedPods: wanted, desiredHealthy: scaled(minAvailable ?? 0, wanted) }
  return { expectedPods: wanted, desiredHealthy: Math.max(0, wanted - scaled(maxUnavailable, wanted)) }
}

/** The sum of what the controllers of the pods want, or what is wrong. Pods without a controller count for nothing. */
function expectedScale({ pods, scaleOf }: BudgetView): number | string {
  const byController = new Map<string, number>()
  for (const pod of pods) {
    const scale = scaleOf(pod)
    if (scale === 'unknown') return `found no controllers for pod "${pod.metadata.name}"`
    if (scale !== undefined) byController.set(scale.uid, scale.replicas)
  }
  return [...byController.values()].reduce((sum, replicas) => sum + replicas, 0)
}

/** Percentages round up, also those of maxUnavailable. */
function scaled(value: number | string, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100)
}

function stillDisrupted({ budget, pods }: BudgetView, nowMs: number): Record<string, string> {
  const noted = budget.status?.disruptedPods ?? {}
  const entries = pods.flatMap(({ metadata: { name, deletionTimestamp } }) => {
    const since = noted[name]
    const counts = since !== undefined && deletionTimestamp === undefined && Date.parse(since) + disruptedMs >= nowMs
    return counts ? [[name, since] as const] : []
  })
  return Object.fromEntries(entries)
}

function isHealthy(pod: Stored, disruptedPods: Readonly<Record<string, string>>): boolean {
  const { name, deletionTimestamp } = pod.metadata
  return deletionTimestamp === undefined && !(name in disruptedPods) && isReady(pod)
}

/** Nothing is allowed while the numbers cannot be had. */
function failedStatus({ status = {} }: DisruptionBudget, message: string, nowMs: number): BudgetStatus {
  const before = status.conditions?.find(({ type }) => type === 'DisruptionAllowed')
  const lastTransitionTime = before?.status === 'False' ? before.lastTransitionTime : timestamp(nowMs)
  const condition = { type: 'DisruptionAllowed', status: 'False', reason: 'SyncFailed', message, lastTransitionTime }
  const { observedGeneration } = status
  const generation = observedGeneration === undefined ? {} : { observedGeneration }
  return { ...status, disruptionsAllowed: 0, conditions: [{ ...condition, ...generation }] }
}
