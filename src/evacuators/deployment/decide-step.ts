import type { Blocker } from '../../api/blocker/blocker.ts'
import type { Deployment, ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { deployments } from '../../api/kubernetes/resources.ts'
import { isAvailable, isReady } from '../../api/kubernetes/pod-availability.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import type { Waiting, Working } from '../evacuator.ts'
import { evictWithinBudgets } from '../workload/budget-gate.ts'
import { controllerOf, isActive, isFinished, readySinceMs } from '../workload/pod-state.ts'
import { releasedFromOf } from '../workload/released-from.ts'
import { expectedFinish, typicalStartMs } from '../workload/start-time.ts'
import type { WorkloadStep } from '../workload/workload-evacuator.ts'
import { isOfKind, replicaSetRefOf, willBeCollected, type DeploymentView } from './deployment-view.ts'
import { pendingPods } from './pending-pods.ts'
import { hashLabel, isReleased, isTied, releasePod, tiePod } from './release-pod.ts'
import { strategyOf, wantedOf } from './strategy.ts'

type Known = DeploymentView & { readonly deployment: Deployment }
type Rule = (view: Known, nowMs: number) => WorkloadStep | undefined

/** Watches report changes; this is for what no watch reports. */
const againInMs = 60_000
const leftBehindAgainInMs = 5_000

/** What to do next about a pod of a Deployment that should leave. Pure. */
export function decideStep(view: DeploymentView, nowMs: number): WorkloadStep {
  const { pod, deployment } = view
  if (isFinished(pod)) return { kind: 'completed', message: 'The pod has finished: it is evicted, not replaced' }
  if (deployment === undefined || willBeCollected(deployment)) return withoutDeployment(view, nowMs)
  const rules = isReleased(pod) ? releasedRules : ownedRules
  const known = { ...view, deployment }
  for (const rule of rules) {
    const step = rule(known, nowMs)
    if (step !== undefined) return step
  }
  return waitForOthers(known, nowMs)
}

/** In this order; the first that says something is followed, and where none does the pod waits. */
const ownedRules: readonly Rule[] = [returning, unsupported, notServing, onOneNodeOnly, takeDown, release]
const releasedRules: readonly Rule[] = [tie, letGo]

/** A user gave it its label back: once it is adopted, it starts over. */
function returning({ pod, replicaSet }: Known): WorkloadStep | undefined {
  if (controllerOf(pod) !== undefined) return undefined
  const message = `The pod has its label ${hashLabel} back; waits until ReplicaSet ${replicaSet?.metadata.name} adopts it`
  return { kind: 'waiting', because: { reason: 'NotAdopted', message }, againInMs }
}

function unsupported({ deployment }: Known): WorkloadStep | undefined {
  const strategy = strategyOf(deployment)
  if (strategy.kind !== 'none') return undefined
  const message = `The pod is evicted: Deployment ${deployment.metadata.name} cannot surge, ${strategy.why}`
  return { kind: 'completed', message }
}

function notServing({ pod }: Known): WorkloadStep | undefined {
  if (isReady(pod)) return undefined
  return { kind: 'completed', message: 'The pod is evicted, not replaced first: it is not ready' }
}

function onOneNodeOnly({ claims }: Known): WorkloadStep | undefined {
  const elsewhere = ['ReadWriteMany', 'ReadOnlyMany']
  const bound = claims.find(({ spec }) => !(spec?.accessModes ?? elsewhere).some((mode) => elsewhere.includes(mode)))
  if (bound === undefined) return undefined
  const { name } = bound.metadata
  const message = `The pod is evicted, not replaced first: volume claim ${name} can be on one node only`
  return { kind: 'completed', message }
}

/** Without a surge, and only if the Deployment asked for it. */
function takeDown(view: Known, nowMs: number): WorkloadStep | undefined {
  const strategy = strategyOf(view.deployment)
  if (strategy.kind !== 'unavailable' || isRollingOut(view)) return undefined
  const others = availablePods(view, nowMs).filter((other) => !isSame(other, view.pod))
  if (others.length < wantedOf(view.deployment) - strategy.max) return undefined
  return evict(view, nowMs)
}

/** The Deployment takes its pods down itself then, as many as may be, and not ours to add to. */
function isRollingOut({ deployment, replicaSets: sets }: Known): boolean {
  const { metadata, spec, status } = deployment
  if (spec?.paused === true) return false
  const isNoticed = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  // A ReplicaSet that was told to have none may still have some.
  const sizeOf = (set: ReplicaSet) => Math.max(set.spec?.replicas ?? 1, set.status?.replicas ?? 0)
  return !isNoticed || sets.filter((set) => sizeOf(set) > 0).length > 1
}

function release(view: Known, nowMs: number): WorkloadStep | undefined {
  const { deployment, pod, owned, released, replicaSet } = view
  const strategy = strategyOf(deployment)
  const hash = pod.metadata.labels?.[hashLabel]
  if (strategy.kind !== 'surge' || hash === undefined || replicaSet === undefined) return undefined
  // The ReplicaSets fill up to what is planned, so those count that are not there yet.
  const planned = view.replicaSets.reduce((sum, { spec }) => sum + (spec?.replicas ?? 1), 0)
  const wanted = wantedOf(deployment)
  const present = Math.max(owned.filter(isActive).length, planned, wanted) + released.filter(isActive).length
  if (present + 1 > wanted + strategy.max) return undefined
  const { name, uid } = deployment.metadata
  const from = { hash, replicaSet: replicaSet.metadata.name, deployment: { name, uid }, atMs: nowMs }
  return { kind: 'write', write: releasePod(pod, replicaSet, from) }
}

/** Takes over what an older Lifeboat released, before anything else can happen to its Evacuation. */
function tie({ pod, replicaSet }: Known): WorkloadStep | undefined {
  if (replicaSet === undefined || willBeCollected(replicaSet) || isTied(pod, replicaSet)) return undefined
  return { kind: 'write', write: tiePod(pod, replicaSet) }
}

/** As soon as there are as many available pods as wanted without it and without those that were released before it. */
function letGo(view: Known, nowMs: number): WorkloadStep | undefined {
  const available = availablePods(view, nowMs).filter((other) => !isSame(other, view.pod))
  const ahead = available.filter((other) => isReleased(other) && isBefore(other, view.pod))
  if (available.length - ahead.length < wantedOf(view.deployment)) return undefined
  return evict(view, nowMs)
}

function evict(view: Known, nowMs: number): WorkloadStep {
  const { pod, budgets, evictionAskedMs, deployment } = view
  const { minReadySeconds = 0 } = deployment.spec ?? {}
  const times = view.owned.map(readySinceMs).filter((atMs) => atMs !== undefined)
  const sinceMs = Math.max(0, ...times) + minReadySeconds * 1_000
  return evictWithinBudgets({ pod, budgets, evictionAskedMs, sinceMs }, nowMs)
}

/** For its replacement, or for its turn. */
function waitForOthers(view: Known, nowMs: number): Working | Waiting {
  const { pod, deployment, released } = view
  const pending = pendingPods(view, nowMs)
  const name = `Deployment ${deployment.metadata.name}`
  if (pending.kind === 'moving') {
    const what = isReleased(pod) ? 'Waits for its replacement' : `Waits for its turn in ${name}`
    const message = `${what}: ${pending.why}`
    const againAfterMs = Math.min(againInMs, pending.againInMs ?? againInMs)
    return { kind: 'working', message, againInMs: againAfterMs, ...expectedFinish(replacedAtMs(view), nowMs) }
  }
  const isBehindOthers = !isReleased(pod) && released.some(isActive)
  if (pending.kind === 'stuck' && !isBehindOthers) return { kind: 'waiting', because: pending.blocker, againInMs }
  return { kind: 'waiting', because: turnBlocker(view, name), passes: true, againInMs }
}

/** When its replacement should be available. Undefined: it has none yet, or no pod of the Deployment shows how long. */
function replacedAtMs({ pod, deployment, owned, released }: Known): number | undefined {
  const releasedAtMs = isReleased(pod) ? releasedFromOf(pod)?.atMs : undefined
  const startMs = typicalStartMs([...owned, ...released], deployment.spec)
  return releasedAtMs === undefined || startMs === undefined ? undefined : releasedAtMs + startMs
}

function turnBlocker({ pod, deployment }: Known, owner: string): Blocker {
  const strategy = strategyOf(deployment)
  const limit = strategy.kind === 'unavailable' ? 'maxUnavailable' : 'maxSurge'
  return { kind: 'turn', pod: podRefOf(pod), owner, limit, allowed: strategy.kind === 'none' ? 0 : strategy.max }
}

function withoutDeployment(view: DeploymentView, nowMs: number): WorkloadStep {
  const { pod, replicaSet } = view
  const isLeftBehind = replicaSet !== undefined && controllerOf(replicaSet) === undefined
  if (isReleased(pod) && isLeftBehind) return onceReplaced(view, replicaSet, nowMs)
  const owner = replicaSetRefOf(pod)
  const setOwner = replicaSet === undefined ? undefined : controllerOf(replicaSet)
  const goesAlong = owner !== undefined && (replicaSet === undefined || isOfKind(setOwner, deployments))
  if (!goesAlong) return { kind: 'completed', message: 'The pod is evicted: it is of no Deployment' }
  // The garbage collector deletes it with its owner; deleting it here would take an annotation's word for that.
  const message = `The pod goes with ReplicaSet ${owner.name}, which is being deleted`
  return { kind: 'waiting', because: { reason: 'OwnerGone', message }, againInMs }
}

/** The Deployment was deleted so that its ReplicaSet stays, which replaces the pod on its own now. */
function onceReplaced(view: DeploymentView, { metadata, spec }: ReplicaSet, nowMs: number): WorkloadStep {
  const available = view.owned.filter((other) => isAvailable(other, spec?.minReadySeconds ?? 0, nowMs))
  const name = `ReplicaSet ${metadata.name}`
  if (available.length >= (spec?.replicas ?? 1)) {
    return { kind: 'completed', message: `The pod is evicted: its Deployment is gone, and ${name} has replaced it` }
  }
  const message = `The Deployment of the pod is gone; waits until ${name} has replaced it`
  return { kind: 'waiting', because: { reason: 'OwnerGone', message }, againInMs: leftBehindAgainInMs }
}

function availablePods({ deployment, owned, released }: Known, nowMs: number): readonly Pod[] {
  const { minReadySeconds = 0 } = deployment.spec ?? {}
  return [...owned, ...released].filter((pod) => isAvailable(pod, minReadySeconds, nowMs))
}

function isSame(one: Pod, other: Pod): boolean {
  return one.metadata.uid === other.metadata.uid
}

/** Released before; of those released at once, the names decide. */
function isBefore(one: Pod, other: Pod): boolean {
  const [oneMs, otherMs] = [releasedFromOf(one)?.atMs ?? 0, releasedFromOf(other)?.atMs ?? 0]
  return oneMs === otherMs ? one.metadata.name < other.metadata.name : oneMs < otherMs
}
