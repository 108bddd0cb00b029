import { renderBlocker, type Blocker } from '../../api/blocker/blocker.ts'
import type { StatefulSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { PodDisruptionBudget } from '../../api/kubernetes/policy.ts'
import {
  availableAtMs,
  isAvailable,
  isReady,
  isTerminating,
  readySinceMs,
} from '../../api/kubernetes/pod-availability.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import type { StepResult } from '../evacuator.ts'
import { evictWithinBudgets } from '../workload/budget-gate.ts'
import { troubleOf } from '../workload/pod-trouble.ts'
import { typicalStartMs, expectedFinish } from '../workload/start-time.ts'
import { isRollingOut, maxUnavailableOf, ordinalOf, wantedOrdinals, whyUnsupported } from './support.ts'

/** Everything that a step may look at. */
export interface StatefulSetView {
  readonly pod: Pod
  /** Undefined: it is gone, or let go of the pod. */
  readonly set: StatefulSet | undefined
  /** Of the set, the one that is evacuated among them. */
  readonly pods: readonly Pod[]
  /** By the UID of their pod: those that this evacuator is to take away, and whether they say that something is in the way. */
  readonly evacuating: ReadonlyMap<string, { readonly isBlocked: boolean }>
  /** Those that cover the pod. */
  readonly budgets: readonly PodDisruptionBudget[]
  readonly evictionAskedMs: number | undefined
}

const againMs = 10_000

/** The highest ordinal first, and no more at once than the set allows; the next when the last is available again. */
export function stepStatefulSet(view: StatefulSetView, nowMs: number): StepResult {
  const { pod, set } = view
  if (set === undefined) return left('The pod belongs to no StatefulSet any more')
  const why = whyUnsupported(set)
  if (why !== undefined) return left(why)
  const ordinal = ordinalOf(set, pod)
  if (ordinal === undefined) return left(`The name of the pod is none of StatefulSet ${set.metadata.name}`)
  // One that cannot serve costs nothing, and may be what the others wait for.
  if (!isReady(pod) && troubleOf(pod, nowMs) !== undefined) return { kind: 'evict' }
  const down = downOf(view, set, nowMs)
  const ahead = aheadOf(view, set, ordinal, nowMs)
  const allowed = maxUnavailableOf(set)
  if (down.length + ahead.length < allowed && !isRollingOut(set)) return evict(view, set, nowMs)
  return wait(view, set, { down, ahead, allowed }, nowMs)
}

/** Budgets allow to evict some pods that are not ready whatever they say of the others, so that only an attempt tells. */
function evict(view: StatefulSetView, set: StatefulSet, nowMs: number): StepResult {
  const { pod, pods, budgets, evictionAskedMs } = view
  if (!isReady(pod)) return { kind: 'evict' }
  const { minReadySeconds = 0 } = set.spec ?? {}
  const others = pods.filter(({ metadata }) => metadata.uid !== pod.metadata.uid)
  const timesMs = others.map((other) => readySinceMs(other) ?? 0)
  const sinceMs = Math.max(0, ...timesMs) + minReadySeconds * 1_000
  return evictWithinBudgets({ pod, budgets, sinceMs, evictionAskedMs }, nowMs)
}

function left(why: string): StepResult {
  return { kind: 'completed', message: `${why}: it is evicted as its budgets allow`, nothingToPutBack: true }
}

/** An ordinal without an available pod; the pod is the one that is on its way, if there is one. */
interface Down {
  readonly name: string
  readonly pod: Pod | undefined
}

/** Besides the pod itself. A pod beyond the wanted ones counts while it is on its way out, and not when it is gone. */
function downOf({ pod, pods }: StatefulSetView, set: StatefulSet, nowMs: number): Down[] {
  const minReadySeconds = set.spec?.minReadySeconds ?? 0
  const byOrdinal = new Map(pods.map((other) => [ordinalOf(set, other), other]))
  const ordinals = new Set([...wantedOrdinals(set), ...byOrdinal.keys()])
  return [...ordinals]
    .filter((ordinal) => ordinal !== undefined)
    .map((ordinal) => ({ name: `${set.metadata.name}-${ordinal}`, pod: byOrdinal.get(ordinal) }))
    .filter(({ name }) => name !== pod.metadata.name)
    .filter((other) => other.pod === undefined || !isAvailable(other.pod, minReadySeconds, nowMs))
}

/** Those that go first, and have not gone yet. */
function aheadOf(view: StatefulSetView, set: StatefulSet, ordinal: number, nowMs: number) {
  return view.pods.filter(
    (other) =>
      view.evacuating.has(other.metadata.uid) &&
      (ordinalOf(set, other) ?? -1) > ordinal &&
      isAvailable(other, set.spec?.minReadySeconds ?? 0, nowMs),
  )
}

interface Others {
  readonly down: readonly Down[]
  readonly ahead: readonly Pod[]
  readonly allowed: number
}

/** While the others move this is work; if all of them are stuck, a user has to fix it. */
function wait(view: StatefulSetView, set: StatefulSet, others: Others, nowMs: number): StepResult {
  const { down, ahead, allowed } = others
  const pod = podRefOf(view.pod)
  const troubles = down.map((other) => (other.pod === undefined ? undefined : troubleOf(other.pod, nowMs)))
  const blockedAhead = ahead.filter((other) => view.evacuating.get(other.metadata.uid)?.isBlocked === true)
  const isMoving = troubles.includes(undefined) || blockedAhead.length < ahead.length
  const owner = `StatefulSet ${set.metadata.name}`
  const turn: Blocker = { kind: 'turn', pod, owner, limit: 'maxUnavailable', allowed }
  if (isMoving) {
    const againInMs = nextChangeInMs(down, set, nowMs)
    const expected = expectedFinish(turnAtMs(view, set, others), nowMs)
    return { kind: 'working', message: renderBlocker(turn), againInMs, ...expected }
  }
  const [trouble] = troubles
  return { kind: 'waiting', because: trouble === undefined ? turn : { pod, ...trouble }, againInMs: againMs }
}

/**
 * When its turn should come: those that are down start, and then those ahead of it are replaced, as many at once as are
 * allowed. Undefined: one that is down has no new pod yet, or no pod of the set shows how long a start takes.
 */
function turnAtMs({ pods }: StatefulSetView, set: StatefulSet, { down, ahead, allowed }: Others): number | undefined {
  const startMs = typicalStartMs(pods, { minReadySeconds: set.spec?.minReadySeconds ?? 0 })
  const starting = down.map(({ pod }) => (pod === undefined || isTerminating(pod) ? undefined : pod))
  const beganMs = starting.map((pod) => Date.parse(pod?.metadata.creationTimestamp ?? ''))
  if (startMs === undefined || beganMs.length === 0) return undefined
  const atMs = Math.max(...beganMs) + startMs * (1 + Math.ceil(ahead.length / allowed))
  return Number.isNaN(atMs) ? undefined : atMs
}

/** No event tells when a ready pod has been ready for long enough. */
function nextChangeInMs(down: readonly Down[], set: StatefulSet, nowMs: number): number {
  const minReadySeconds = set.spec?.minReadySeconds ?? 0
  const timesMs = down.map(({ pod }) => (pod === undefined ? undefined : availableAtMs(pod, minReadySeconds)))
  const waits = timesMs
    .filter((timeMs) => timeMs !== undefined && timeMs > nowMs)
    .map((timeMs) => (timeMs ?? 0) - nowMs)
  return Math.min(againMs, ...waits)
}
