import { evacuations, type Evacuation } from '../../src/api/evacuation/evacuation.ts'
import { byPriorityThenClass } from '../../src/api/evacuation/evacuator.ts'
import type { Deployment } from '../../src/api/kubernetes/apps.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { deployments, pods, replicaSets, statefulSets } from '../../src/api/kubernetes/resources.ts'
import { annotations } from '../../src/api/names.ts'
import { ceilOf, floorOf } from './share.ts'
import { isAvailable, isReady, isTerminating } from '../../src/api/kubernetes/pod-availability.ts'
import { releasedFromOf } from '../../src/evacuators/workload/released-from.ts'
import type { TransportRequest } from '../../src/kube/client/transport.ts'
import type { Story } from './draw-story.ts'
import { nameOf, podsOfWorkload } from './tell-story.ts'
import type { RandomGround } from './random-ground.ts'

// What must hold, each named after a promise. A write is judged at the moment when it arrives, by what the cluster has
// then: whatever others did before, Lifeboat must not make it worse than the owner and the budget allow.

interface Eviction {
  readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> }
  readonly deleteOptions?: { readonly preconditions?: { readonly uid?: string } }
}

export function judgeWrite(write: TransportRequest, ground: RandomGround, story: Story): string | undefined {
  const { method, path } = write
  if (/\/(deployments|statefulsets|replicasets)\//.test(path)) return `Lifeboat wrote to a workload: ${method} ${path}`
  const [, podName, isEviction] = /\/pods\/([^/]+)(\/eviction)?$/.exec(path) ?? []
  const pod = ground.list(pods).find(({ metadata }) => metadata.name === podName)
  if (pod === undefined) return undefined
  const at = story.workloads.findIndex((_, index) => pod.metadata.labels?.['app'] === nameOf(index))
  // None of these workloads has pods that may be deleted past their budgets.
  if (method === 'DELETE') return `deleted ${podName} in place of evicting it`
  if (isEviction !== undefined) {
    const { metadata, deleteOptions } = write.body as Eviction
    if (deleteOptions?.preconditions?.uid === undefined) return `evicted ${podName} whatever its UID`
    // Another pod has the name by now: the API server refuses it.
    if (deleteOptions.preconditions.uid !== pod.metadata.uid) return undefined
    const evacuator = metadata?.annotations?.[annotations.evictingEvacuator]
    return evacuator === undefined ? judgeOwnEviction(pod, ground) : judgeEviction(pod, ground, at)
  }
  if (method === 'PATCH' && isRelease(write)) return judgeRelease(ground, at)
  return undefined
}

function isRelease({ body }: TransportRequest): boolean {
  const { metadata } = body as { metadata?: { annotations?: Readonly<Record<string, unknown>> } }
  return typeof metadata?.annotations?.[annotations.releasedFrom] === 'string'
}

/** By the controller: only where somebody wants the pod gone, and after every evacuator had its turn. */
function judgeOwnEviction({ metadata: { name, uid } }: Pod, ground: RandomGround): string | undefined {
  const evacuation = ground.list(evacuations).find(({ spec }) => spec.podRef.uid === uid)
  if (evacuation === undefined) return `evicted ${name} without an Evacuation`
  if (evacuation.metadata.deletionTimestamp !== undefined) return `evicted ${name} though its evacuation was cancelled`
  return isLeftToEviction(evacuation, ground.clock.nowMs()) ? undefined : `evicted ${name} past its evacuators`
}

function isLeftToEviction({ spec, status }: Evacuation, nowMs: number): boolean {
  const last = (spec.evacuators ?? []).toSorted(byPriorityThenClass).at(-1)
  if (last === undefined) return true
  const silentMs = nowMs - Date.parse(status?.evacuationProgressTimestamp ?? '')
  const isDone = status?.activeEvacuatorCompleted === true || silentMs >= spec.progressDeadlineSeconds * 1_000
  return status?.activeEvacuatorClass === last.evacuatorClass && isDone
}

/** By an evacuator, which promises more than the budget does. */
function judgeEviction(pod: Pod, ground: RandomGround, at: number): string | undefined {
  const nowMs = ground.clock.nowMs()
  const deployment = ground.list(deployments).find(({ metadata }) => metadata.name === nameOf(at))
  const set = ground.list(statefulSets).find(({ metadata }) => metadata.name === nameOf(at))
  const { replicas = 1, minReadySeconds = 0 } = deployment?.spec ?? set?.spec ?? {}
  if (deployment === undefined && set === undefined) return undefined
  // Until somebody notices, a pod on a dead node is as good as any.
  const isOnDeadNode = (one: Pod) => ground.deadNodes.has(one.spec?.nodeName ?? '') && !isTerminating(one)
  const available = podsOfWorkload(ground, at).filter(
    (one) => isAvailable(one, minReadySeconds, nowMs) || isOnDeadNode(one),
  )
  const left = available.filter(({ metadata }) => metadata.uid !== pod.metadata.uid).length
  const allowedDown = deployment === undefined ? 1 : mayBeDown(deployment, ground)
  const lowest = Math.max(0, replicas - allowedDown)
  const counts = available.some(({ metadata }) => metadata.uid === pod.metadata.uid)
  return counts && left < lowest
    ? `evicted ${pod.metadata.name} though ${left} are left and ${lowest} wanted`
    : undefined
}

/** Where pods are added first none may be missing; where they are not, or if a rollout takes pods down too, as many as the owner says. */
function mayBeDown({ metadata, spec }: Deployment, ground: RandomGround): number {
  const { replicas = 1, strategy } = spec ?? {}
  const { maxSurge = '25%', maxUnavailable = '25%' } = strategy?.rollingUpdate ?? {}
  const [surge, down] = [ceilOf(maxSurge, replicas), floorOf(maxUnavailable, replicas)]
  if (surge === 0) return Math.max(1, down)
  return ground.rolled.has(metadata.name) ? down : 0
}

function judgeRelease(ground: RandomGround, at: number): string | undefined {
  const deployment = ground.list(deployments).find(({ metadata }) => metadata.name === nameOf(at))
  if (deployment === undefined) return undefined
  const { replicas = 1, strategy } = deployment.spec ?? {}
  const surge = ceilOf(strategy?.rollingUpdate?.maxSurge ?? '25%', replicas)
  const there = podsOfWorkload(ground, at).filter((pod) => !isTerminating(pod)).length
  return there + 1 > replicas + surge
    ? `released one more though there are ${there} of ${replicas} plus ${surge}`
    : undefined
}

/** When everything has been healed. */
export function judgeEnd(ground: RandomGround, story: Story): string[] {
  const left = ground.list(evacuations).map(({ metadata, status }) => `${metadata.name} is left: ${status?.message}`)
  const marks = ground.list(pods).flatMap((pod) => traces(pod).map((trace) => `${pod.metadata.name} has ${trace}`))
  const counts = story.workloads.flatMap((_, at) => wrongCount(ground, at))
  return [...left, ...marks, ...counts]
}

function traces(pod: Pod): string[] {
  const { ownerReferences = [], annotations: onPod = {} } = pod.metadata
  return [
    ...(releasedFromOf(pod) === undefined ? [] : ['a trace of its release']),
    ...(ownerReferences.some(({ kind }) => kind === 'Evacuation') ? ['an Evacuation as its owner'] : []),
    ...(ownerReferences.some(({ controller }) => controller === true) ? [] : ['no controller']),
    ...Object.keys(onPod).filter((name) => name.startsWith('evacuation.coordination.k8s.io/')),
  ]
}

function wrongCount(ground: RandomGround, at: number): string[] {
  const named = [...ground.list(deployments), ...ground.list(statefulSets), ...ground.list(replicaSets)]
  const owner = named.find(({ metadata }) => metadata.name === nameOf(at))
  const wanted = owner === undefined ? 0 : (owner.spec?.replicas ?? 1)
  const there = podsOfWorkload(ground, at)
  const ready = there.filter(isReady).length
  const isRight = there.length === wanted && ready === wanted
  return isRight ? [] : [`${nameOf(at)} has ${there.length} pods, ${ready} ready, and wants ${wanted}`]
}
