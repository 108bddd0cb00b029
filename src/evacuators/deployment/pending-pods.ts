import type { Blocker } from '../../api/blocker/blocker.ts'
import type { Deployment } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { availableAtMs, isAvailable } from '../../api/kubernetes/pod-availability.ts'
import { isActive } from '../workload/pod-state.ts'
import { progressDeadlineDefaultSeconds, troubleOf } from '../workload/pod-trouble.ts'
import { releasedFromOf } from '../workload/released-from.ts'
import type { DeploymentView } from './deployment-view.ts'
import { wantedOf } from './strategy.ts'

/** How the Deployment gets on with having as many available pods as it wants. */
export type Pending =
  /** Something will happen by itself. */
  | { readonly kind: 'moving'; readonly why: string; readonly againInMs?: number }
  /** Nothing will happen before a user fixes this. */
  | { readonly kind: 'stuck'; readonly blocker: Blocker }
  /** There is nothing left to happen. */
  | { readonly kind: 'complete' }

export function pendingPods(view: DeploymentView & { deployment: Deployment }, nowMs: number): Pending {
  const { deployment, pod, owned, replicaSets } = view
  const { minReadySeconds = 0, progressDeadlineSeconds = progressDeadlineDefaultSeconds } = deployment.spec ?? {}
  const active = owned.filter(isActive)
  const unavailable = active.filter((other) => !isAvailable(other, minReadySeconds, nowMs)).toSorted(byName)
  const problems = unavailable.map((other) => troubleOf(other, nowMs, progressDeadlineSeconds))
  const onTheWay = unavailable.filter((_, index) => problems[index] === undefined)
  if (onTheWay.length > 0) {
    return { kind: 'moving', why: notYet(onTheWay), ...soonest(onTheWay, minReadySeconds, nowMs) }
  }
  const planned = replicaSets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0)
  if (active.length > planned) return { kind: 'moving', why: 'pods that are too many are being removed' }
  const problem = problems.find((found) => found !== undefined)
  if (problem !== undefined) return { kind: 'stuck', blocker: { pod: podRefOf(pod), ...problem } }
  if (active.length >= Math.max(planned, wantedOf(deployment))) return { kind: 'complete' }
  return missing(view, nowMs, progressDeadlineSeconds * 1_000)
}

/** Fewer pods than wanted, and all of them well. */
function missing(view: DeploymentView, nowMs: number, deadlineMs: number): Pending {
  const { pod, evacuation, replicaSets } = view
  for (const { metadata, status } of replicaSets) {
    const failure = status?.conditions?.find(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True')
    if (failure === undefined) continue
    const owner = `ReplicaSet ${metadata.name}`
    const message = failure.message ?? failure.reason ?? 'it does not say why'
    return { kind: 'stuck', blocker: { kind: 'replacementRefused', pod: podRefOf(pod), owner, message } }
  }
  const sinceMs = releasedFromOf(pod)?.atMs ?? Date.parse(evacuation.metadata.creationTimestamp ?? '')
  if (!(nowMs - sinceMs > deadlineMs)) return { kind: 'moving', why: 'a replacement is being created' }
  const owner = `Deployment ${view.deployment?.metadata.name}`
  const message = `none was created within ${Math.floor(deadlineMs / 60_000)} min`
  return { kind: 'stuck', blocker: { kind: 'replacementRefused', pod: podRefOf(pod), owner, message } }
}

function notYet([first, ...others]: readonly Pod[]): string {
  const name = first?.metadata.name
  return others.length === 0
    ? `${name} is not available yet`
    : `${name} and ${others.length} more are not available yet`
}

function soonest(onTheWay: readonly Pod[], minReadySeconds: number, nowMs: number): { readonly againInMs?: number } {
  const times = onTheWay.map((pod) => availableAtMs(pod, minReadySeconds)).filter((atMs) => atMs !== undefined)
  return times.length === 0 ? {} : { againInMs: Math.max(0, Math.min(...times) - nowMs) }
}

function byName(a: Pod, b: Pod): number {
  return a.metadata.name < b.metadata.name ? -1 : 1
}
