import type { Deployment } from '../../api/kubernetes/apps.ts'
import { isAvailable } from '../../api/kubernetes/pod-availability.ts'
import { controllerOf } from '../workload/pod-state.ts'
import { releasedFromOf } from '../workload/released-from.ts'
import type { WorkloadCancelStep } from '../workload/workload-evacuator.ts'
import { willBeCollected, type DeploymentView } from './deployment-view.ts'
import { hasTraces, isReleased, removeTraces, restorePod } from './release-pod.ts'
import { wantedOf } from './strategy.ts'

const againInMs = 5_000

/** The Evacuation was cancelled: the pod goes back to its ReplicaSet, which removes whichever is too many. Pure. */
export function decideCancel(view: DeploymentView, nowMs: number): WorkloadCancelStep {
  const { pod, replicaSet } = view
  const from = isReleased(pod) ? releasedFromOf(pod) : undefined
  if (from === undefined) {
    if (hasTraces(pod)) return { kind: 'write', write: removeTraces(pod) }
    return { kind: 'completed', message: 'The pod stays' }
  }
  const isLeftBehind = replicaSet !== undefined && controllerOf(replicaSet) === undefined
  const deployment = view.deployment === undefined || willBeCollected(view.deployment) ? undefined : view.deployment
  const isTaker = replicaSet !== undefined && replicaSet.metadata.deletionTimestamp === undefined
  if (isTaker && (isLeftBehind || deployment !== undefined)) {
    return { kind: 'write', write: restorePod(pod, from) }
  }
  if (deployment !== undefined && !isComplete(view, deployment, nowMs)) {
    const message = `No ReplicaSet takes the pod back yet; waits until Deployment ${deployment.metadata.name} has all its pods`
    return { kind: 'working', message, againInMs }
  }
  // With its workload gone the garbage collector deletes the pod; a pod that was left behind on purpose stays.
  return { kind: 'write', write: removeTraces(pod) }
}

function isComplete({ owned }: DeploymentView, deployment: Deployment, nowMs: number): boolean {
  const { minReadySeconds = 0 } = deployment.spec ?? {}
  return owned.filter((pod) => isAvailable(pod, minReadySeconds, nowMs)).length >= wantedOf(deployment)
}
