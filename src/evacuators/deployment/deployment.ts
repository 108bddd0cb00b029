import { controllerRole, evacuatorLimits, type Evacuator as Registration } from '../../api/evacuation/evacuator.ts'
import type { Deployment } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import {
  deployments,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  replicaSets,
} from '../../api/kubernetes/resources.ts'
import { evacuatorClasses } from '../../api/names.ts'
import { controllerOf } from '../workload/pod-state.ts'
import { releasedFromOf } from '../workload/released-from.ts'
import type { WorkloadEvacuator, WorkloadReader } from '../workload/workload-evacuator.ts'
import { decideCancel } from './decide-cancel.ts'
import { decideStep } from './decide-step.ts'
import {
  claimNames,
  deploymentUidOf,
  gatherDeployment,
  isOfKind,
  replicaSetRefOf,
  type DeploymentView,
} from './deployment-view.ts'
import { isReleased } from './release-pod.ts'
import { strategyOf } from './strategy.ts'

const registration: Registration = {
  evacuatorClass: evacuatorClasses.deployment,
  priority: evacuatorLimits.controllerPriority,
  role: controllerRole,
}

/** Moves pods of Deployments: a replacement first, then the pod goes. See README.md. */
export const deployment: WorkloadEvacuator<DeploymentView> = {
  evacuatorClass: evacuatorClasses.deployment,
  // Most pods are pods of Deployments.
  sparing: true,
  async claim(pod, read) {
    const owner = await findDeployment(pod, read)
    return owner === undefined || strategyOf(owner).kind === 'none' ? undefined : registration
  },
  follows: (pod) => [
    ...[pods, replicaSets, deployments, podDisruptionBudgets].map((resource) => ({ resource })),
    ...(claimNames(pod).length > 0 ? [{ resource: persistentVolumeClaims }] : []),
  ],
  workloadOf: deploymentUidOf,
  gather: gatherDeployment,
  step: decideStep,
  cancel: decideCancel,
}

async function findDeployment(pod: Pod, read: WorkloadReader): Promise<Deployment | undefined> {
  const owner = isReleased(pod) ? releasedFromOf(pod)?.deployment : await ownerByReplicaSet(pod, read)
  if (owner === undefined) return undefined
  const found = await read.get(deployments, { namespace: pod.metadata.namespace, name: owner.name })
  return found?.metadata.uid === owner.uid ? found : undefined
}

async function ownerByReplicaSet(
  pod: Pod,
  read: WorkloadReader,
): Promise<{ readonly name: string; readonly uid: string } | undefined> {
  const set = replicaSetRefOf(pod)
  if (set === undefined) return undefined
  const replicaSet = await read.get(replicaSets, { namespace: pod.metadata.namespace, name: set.name })
  if (replicaSet?.metadata.uid !== set.uid) return undefined
  const owner = controllerOf(replicaSet)
  return isOfKind(owner, deployments) ? owner : undefined
}
