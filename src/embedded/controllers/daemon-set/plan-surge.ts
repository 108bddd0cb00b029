import { resolveIntOrPercent } from '../int-or-percent.ts'
import type { DaemonSet, Pod } from '../objects.ts'
import { isAvailable, isReady, isTerminating } from '../pod-status.ts'
import { revisionLabel } from '../revisions.ts'
import { placementOn, targetNode } from './daemon-pod.ts'
import type { DaemonPlan, DaemonView } from './plan-daemons.ts'

/** How many nodes may have a second pod during an update. */
export function surgeOf({ spec }: DaemonSet, nodesTotal: number): number {
  const { type = 'RollingUpdate', rollingUpdate } = spec?.updateStrategy ?? {}
  return type === 'RollingUpdate' ? resolveIntOrPercent(rollingUpdate?.maxSurge ?? 0, nodesTotal, 'up') : 0
}

/** Of the pods on one node, the oldest first, those that may go: a new one next to an old one is no surplus yet. */
export function surgeSurplus(pods: readonly Pod[], { daemonSet, hash }: DaemonView, nowMs: number): Pod[] {
  if (pods.length <= 1) return []
  const newest = pods.find((pod) => isOf(pod, hash))
  const old = pods.find((pod) => !isOf(pod, hash))
  const surplus = pods.filter((pod) => pod !== newest && pod !== old)
  if (newest === undefined || old === undefined) return surplus
  const isReplaced = !isReady(old) || isAvailable(newest, daemonSet.spec?.minReadySeconds ?? 0, nowMs)
  return isReplaced ? [...surplus, old] : surplus
}

/** The new pod comes first and the old one goes when it is available, on as many nodes at a time as the surge allows. */
export function planSurge(view: DaemonView, nowMs: number): DaemonPlan {
  const { daemonSet, hash } = view
  const works = (pod: Pod) => isAvailable(pod, daemonSet.spec?.minReadySeconds ?? 0, nowMs)
  const byNode = Map.groupBy(view.pods, targetNode)
  const counts = { wanted: 0, surging: 0, available: 0 }
  const remove: Pod[] = []
  const misplaced: Pod[] = []
  const broken: string[] = []
  const candidates: string[] = []
  for (const node of view.nodes) {
    const name = node.metadata.name
    const isPlace = placementOn(daemonSet, node) === 'run'
    if (isPlace) counts.wanted++
    const alive = (byNode.get(name) ?? []).filter((pod) => !isTerminating(pod))
    const [updated, ...moreUpdated] = alive.filter((pod) => isOf(pod, hash))
    const [old, ...moreOld] = alive.filter((pod) => !isOf(pod, hash))
    // Too many: the first step clears that up.
    if (moreUpdated.length + moreOld.length > 0) {
      counts.surging++
      continue
    }
    const counted = old ?? updated
    if (counted !== undefined && works(counted)) counts.available++
    if (old === undefined) continue
    if (updated !== undefined) {
      if (works(updated)) remove.push(old)
      else counts.surging++
    } else if (isPlace) (works(old) ? candidates : broken).push(name)
    else (works(old) ? misplaced : remove).push(old)
  }
  // A place that is one no more gives its pod up only when there are enough elsewhere.
  const spare = Math.max(0, counts.available - counts.wanted)
  const surge = Math.max(0, surgeOf(daemonSet, counts.wanted) - counts.surging)
  return {
    createOn: [...broken, ...candidates.slice(0, surge)],
    remove: [...remove, ...misplaced.slice(0, spare)],
  }
}

function isOf({ metadata }: Pod, hash: string): boolean {
  return metadata.labels?.[revisionLabel] === hash
}
