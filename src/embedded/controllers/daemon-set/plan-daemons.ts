import { resolveIntOrPercent } from '../int-or-percent.ts'
import type { DaemonSet, Node, Pod } from '../objects.ts'
import { isAvailable, isFinished, isReady, isTerminating, timeOf } from '../pod-status.ts'
import { revisionLabel } from '../revisions.ts'
import { placementOn, targetNode } from './daemon-pod.ts'
import { planSurge, surgeOf, surgeSurplus } from './plan-surge.ts'

export interface DaemonView {
  readonly daemonSet: DaemonSet
  /** Sorted by name. */
  readonly nodes: readonly Node[]
  readonly pods: readonly Pod[]
  /** Of the present template. */
  readonly hash: string
}

export interface DaemonPlan {
  readonly createOn: readonly string[]
  readonly remove: readonly Pod[]
}

/** One pod on every node where it belongs, none elsewhere. One that is on its way out still holds its place. */
export function planDaemons(view: DaemonView, nowMs: number): DaemonPlan {
  const allowsSurge = surgeOf(view.daemonSet, 1) > 0
  const byNode = groupByNode(view.pods)
  const createOn: string[] = []
  const remove: Pod[] = []
  const known = new Set<string>()
  for (const node of view.nodes) {
    const name = node.metadata.name
    known.add(name)
    const placement = placementOn(view.daemonSet, node)
    const there = byNode.get(name) ?? []
    const alive = there.filter((pod) => !isTerminating(pod))
    const working = alive.filter((pod) => !isFinished(pod)).toSorted(byAge)
    if (placement === 'leave') remove.push(...alive)
    else {
      const surplus = allowsSurge ? surgeSurplus(working, view, nowMs) : working.slice(1)
      remove.push(...alive.filter(isFinished), ...surplus)
    }
    // With a surge there may be two, and so one need not wait for the other to be gone.
    const isMissing = allowsSurge ? working.length === 0 : there.length === 0
    if (placement === 'run' && isMissing) createOn.push(name)
  }
  // No other controller removes a pod that waits for a lost node; one that was bound to it is the pod collector's.
  const stranded = view.pods.filter((pod) => (pod.spec?.nodeName ?? '') === '' && !known.has(targetNode(pod)))
  remove.push(...stranded.filter((pod) => !isTerminating(pod)))
  return { createOn, remove }
}

const nothing: DaemonPlan = { createOn: [], remove: [] }

/** Old pods that may go now, or new ones that may come before. Those that do not work anyway may go at any time. */
export function planRollingUpdate(view: DaemonView, nowMs: number): DaemonPlan {
  const { daemonSet, hash } = view
  const { type = 'RollingUpdate', rollingUpdate } = daemonSet.spec?.updateStrategy ?? {}
  if (type !== 'RollingUpdate') return nothing
  if (surgeOf(daemonSet, 1) > 0) return planSurge(view, nowMs)
  const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0
  const running = view.nodes.filter((node) => placementOn(daemonSet, node) === 'run')
  const byNode = groupByNode(view.pods)
  const maxUnavailable = Math.max(1, resolveIntOrPercent(rollingUpdate?.maxUnavailable ?? 1, running.length, 'up'))
  let unavailable = 0
  const broken: Pod[] = []
  const candidates: Pod[] = []
  for (const { metadata } of running) {
    const alive = (byNode.get(metadata.name) ?? []).filter((pod) => !isTerminating(pod))
    const old = alive.filter((pod) => pod.metadata.labels?.[revisionLabel] !== hash)
    const isHealthy = alive.length === 1 && alive.every((pod) => isAvailable(pod, minReadySeconds, nowMs))
    if (!isHealthy) unavailable++
    for (const pod of old) (isHealthy ? candidates : broken).push(pod)
  }
  return { createOn: [], remove: [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))] }
}

export function buildDaemonStatus(view: DaemonView, nowMs: number): object {
  const { daemonSet, hash } = view
  const minReadySeconds = daemonSet.spec?.minReadySeconds ?? 0
  const byNode = groupByNode(view.pods)
  const counts = { current: 0, misscheduled: 0, desired: 0, ready: 0, updated: 0, available: 0 }
  for (const node of view.nodes) {
    const [pod] = (byNode.get(node.metadata.name) ?? []).toSorted(byAge)
    if (placementOn(daemonSet, node) !== 'run') {
      if (pod !== undefined) counts.misscheduled++
      continue
    }
    counts.desired++
    if (pod === undefined) continue
    counts.current++
    if (isReady(pod)) counts.ready++
    if (isAvailable(pod, minReadySeconds, nowMs)) counts.available++
    if (pod.metadata.labels?.[revisionLabel] === hash) counts.updated++
  }
  return {
    ...daemonSet.status,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    observedGeneration: daemonSet.metadata.generation ?? 0,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
  }
}

function groupByNode(pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  return Map.groupBy(pods, targetNode)
}

/** Scheduled before unscheduled, the oldest first: the first is the one to keep. */
function byAge(one: Pod, other: Pod): number {
  const isBound = ({ spec }: Pod) => Number((spec?.nodeName ?? '') !== '')
  if (isBound(one) !== isBound(other)) return isBound(other) - isBound(one)
  const byTime = timeOf(one.metadata.creationTimestamp) - timeOf(other.metadata.creationTimestamp)
  if (byTime !== 0) return byTime
  return one.metadata.name < other.metadata.name ? -1 : 1
}
