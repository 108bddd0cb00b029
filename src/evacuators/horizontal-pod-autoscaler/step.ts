import { renderBlocker, type Blocker } from '../../api/blocker/blocker.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import type { HorizontalPodAutoscaler } from '../../api/kubernetes/autoscaling.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { availableAtMs, isAvailable } from '../../api/kubernetes/pod-availability.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { troubleOf } from '../workload/pod-trouble.ts'
import type { WorkloadStep } from '../workload/workload-evacuator.ts'
import { isSame, isUntouched, minReplicasOf, raise, surgeFor, surgeOf, type Surge } from './surge.ts'
import type { Target } from './target.ts'

/** Everything that a step may look at. */
export interface AutoscalerView {
  readonly pod: Pod
  /** Undefined: the pod belongs to nothing that autoscalers scale. */
  readonly target: Target | undefined
  /** Undefined: none that scales the target takes part. */
  readonly autoscaler: HorizontalPodAutoscaler | undefined
  /** Of the target. */
  readonly pods: readonly Pod[]
  /** By the names of their Evacuations: those of these pods for which this evacuator is at work. */
  readonly turns: ReadonlyMap<string, { readonly isBlocked: boolean }>
}

interface Scene extends AutoscalerView {
  readonly target: Target
  readonly autoscaler: HorizontalPodAutoscaler
  readonly name: string
}

const againMs = 10_000

/** Raises minReplicas by one for each Evacuation, and is done with one when as many pods are ready beyond it as before. */
export function stepAutoscaler(view: AutoscalerView, nowMs: number): WorkloadStep {
  const { pod, target, autoscaler } = view
  if (target === undefined) return done('The pod belongs to nothing that an autoscaler scales')
  if (autoscaler === undefined) return done(`No autoscaler of ${textOf(target)} takes part in evacuations`)
  if (target.replicas === 0) return done(`${textOf(target)} is scaled to 0`)
  const scene: Scene = { ...view, target, autoscaler, name: evacuationName(podRefOf(pod)) }
  const before = surgeOf(autoscaler)
  if (before !== undefined && !isUntouched(autoscaler, before)) return stepBesideOthers(scene, before, nowMs)
  const surge = surgeFor(autoscaler, target.replicas, scene.name)
  if (surge.set <= surge.base) return atMaximum(scene, surge)
  if (!isSame(surge, before)) return { kind: 'write', write: raise(autoscaler, surge) }
  return isCovered(scene, surge, nowMs) ? covered(scene, surge) : waitForPods(scene, surge, nowMs)
}

/** Another writer changed minReplicas while it was raised: Lifeboat does not write against it. */
function stepBesideOthers(scene: Scene, surge: Surge, nowMs: number): WorkloadStep {
  const theirs = minReplicasOf(scene.autoscaler)
  if (isCovered(scene, surge, nowMs)) return covered(scene, surge)
  if (theirs > surge.set) return waitForPods(scene, { ...surge, set: theirs }, nowMs)
  return done(`minReplicas of ${nameOf(scene)} was set to ${theirs} while it was raised to ${surge.set}`)
}

function done(why: string): WorkloadStep {
  return { kind: 'completed', message: `${why}: the autoscaler does nothing for this pod` }
}

function covered({ target }: Scene, { base }: Surge): WorkloadStep {
  return { kind: 'completed', message: `${textOf(target)} has ${base} available pods besides those that leave` }
}

/** Whether enough are left without this one, and without those whose leave was granted or comes first. */
function isCovered(scene: Scene, surge: Surge, nowMs: number): boolean {
  const leaving = new Set([scene.name, ...leavingBefore(scene, surge)])
  const left = availablePods(scene, nowMs).filter((pod) => !leaving.has(evacuationName(podRefOf(pod))))
  return left.length >= surge.base
}

/** The order of the list decides, so that two that look at the same moment do not both count on the same pod. */
function leavingBefore({ name, turns }: Scene, { evacuations }: Surge): string[] {
  const position = evacuations.indexOf(name)
  const first = position === -1 ? evacuations.length : position
  return evacuations.filter((other, at) => other !== name && (at < first || !turns.has(other)))
}

function availablePods({ pods, target }: Scene, nowMs: number): Pod[] {
  return pods.filter((pod) => isAvailable(pod, target.minReadySeconds, nowMs))
}

function atMaximum(scene: Scene, { base }: Surge): WorkloadStep {
  const { maxReplicas = 0 } = scene.autoscaler.spec ?? {}
  const message = `${nameOf(scene)} cannot start a pod in place of this one: ${textOf(scene.target)} needs ${base} and its maxReplicas is ${maxReplicas}; raise maxReplicas`
  return { kind: 'waiting', because: { reason: 'AutoscalerAtMaximum', message }, againInMs: againMs }
}

function waitForPods(scene: Scene, surge: Surge, nowMs: number): WorkloadStep {
  const { pod, pods, target, turns } = scene
  const ref = podRefOf(pod)
  if (target.replicas < surge.set) {
    const message = `${nameOf(scene)} has not scaled ${textOf(target)} from ${target.replicas} to ${surge.set} yet`
    return { kind: 'waiting', because: { reason: 'WaitingForAutoscaler', message }, againInMs: againMs }
  }
  const others = pods.filter(({ metadata }) => metadata.uid !== ref.uid)
  const coming = others.filter((other) => !isAvailable(other, target.minReadySeconds, nowMs))
  const troubles = coming.map((other) => troubleOf(other, nowMs, target.progressDeadlineSeconds))
  const isStarting = troubles.includes(undefined) || (coming.length === 0 && pods.length < target.replicas)
  if (isStarting && target.refusal === undefined) {
    const message = `Waits until ${textOf(target)} has ${surge.base} available pods besides those that leave`
    return { kind: 'working', message, againInMs: nextChangeInMs(coming, target, nowMs) }
  }
  if (target.refusal !== undefined && pods.length < target.replicas) {
    const because = { kind: 'replacementRefused', pod: ref, owner: textOf(target), message: target.refusal } as const
    return { kind: 'waiting', because, againInMs: againMs }
  }
  const trouble = troubles.find((found) => found !== undefined)
  if (trouble !== undefined) return { kind: 'waiting', because: { pod: ref, ...trouble }, againInMs: againMs }
  return waitForOthers(
    scene,
    surge,
    leavingBefore(scene, surge).some((name) => turns.get(name)?.isBlocked !== true),
  )
}

/** All pods are there and it is not enough: maxReplicas does not allow one for each evacuation. */
function waitForOthers(scene: Scene, { set, base }: Surge, isMoving: boolean): WorkloadStep {
  const allowed = set - base
  const blocker: Blocker = {
    kind: 'turn',
    pod: podRefOf(scene.pod),
    owner: nameOf(scene),
    limit: 'maxReplicas',
    allowed,
  }
  return isMoving
    ? { kind: 'working', message: renderBlocker(blocker), againInMs: againMs }
    : { kind: 'waiting', because: blocker, againInMs: againMs }
}

/** No event tells when a ready pod has been ready for long enough. */
function nextChangeInMs(coming: readonly Pod[], { minReadySeconds }: Target, nowMs: number): number {
  const waitsMs = coming.map((pod) => (availableAtMs(pod, minReadySeconds) ?? nowMs) - nowMs)
  return Math.min(againMs, ...waitsMs.filter((waitMs) => waitMs > 0))
}

function textOf({ kind, name }: Target): string {
  return `${kind} ${name}`
}

function nameOf({ autoscaler }: Scene): string {
  return `HorizontalPodAutoscaler ${autoscaler.metadata.name}`
}
