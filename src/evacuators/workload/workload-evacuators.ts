import type { Evacuator as Registration } from '../../api/evacuation/evacuator.ts'
import { knowsDaemonSets, knowsStaticPods, type FeatureGates } from '../../api/feature-gates.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Kube } from '../../kube/client/client.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import { daemonSet } from '../daemon-set/daemon-set.ts'
import { deployment } from '../deployment/deployment.ts'
import { horizontalPodAutoscaler } from '../horizontal-pod-autoscaler/horizontal-pod-autoscaler.ts'
import { statefulSet } from '../stateful-set/stateful-set.ts'
import { staticPod } from '../static-pod/static-pod.ts'
import { readerOf } from './turn-world.ts'
import type { AnyWorkloadEvacuator, WorkloadReader } from './workload-evacuator.ts'

/** Every evacuator that Lifeboat brings along and that its gate allows. `namespace` is where the mailboxes of agents are. */
export function workloadEvacuatorsFor(gates: FeatureGates, namespace: string): readonly AnyWorkloadEvacuator[] {
  return [
    deployment,
    statefulSet,
    horizontalPodAutoscaler,
    ...(knowsDaemonSets(gates) ? [daemonSet] : []),
    ...(knowsStaticPods(gates) ? [staticPod(namespace)] : []),
  ]
}

/** Which of them claim a pod: the same answer for admission and for controllers that create Evacuations. */
export async function claimsOf(
  evacuators: readonly AnyWorkloadEvacuator[],
  kube: Pick<Kube, 'get' | 'list'>,
  pod: Pod,
  options: { readonly signal?: AbortSignal; readonly tell?: WorkloadReader['tell'] } = {},
): Promise<Registration[]> {
  const read = askingOnce(readerOf(kube, options.signal, options.tell))
  const claims = await Promise.all(evacuators.map((evacuator) => evacuator.claim(pod, read)))
  return claims.filter((claim) => claim !== undefined)
}

/** Several of them look at the same owners. */
function askingOnce(read: WorkloadReader): WorkloadReader {
  const asked = new Map<string, Promise<unknown>>()
  return {
    ...read,
    get: <T extends KubernetesObject>(resource: Resource<T>, key: ObjectKey) => {
      const id = `${resource.plural}.${resource.group} ${key.namespace} ${key.name}`
      const answer = asked.get(id) ?? read.get(resource, key)
      asked.set(id, answer)
      return answer as Promise<T | undefined>
    },
  }
}
