import type { FeatureGates } from '../../api/feature-gates.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { DeepReadonly } from '../../api/kubernetes/meta.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { resolveEvacuators } from '../../api/evacuation/resolve-evacuators.ts'
import type { ClaimsLookup } from '../../evacuation/claims.ts'
import { requestEvacuation, type RequestOutcome } from '../../evacuators/instigator.ts'
import { workloadEvacuatorsFor } from '../../evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../../kube/client/client.ts'

export interface ResolvedRequestParts {
  readonly kube: Kube
  readonly gates: FeatureGates
  /** Lifeboat's own. */
  readonly namespace: string
  readonly claims: ClaimsLookup
}

export interface ResolvedRequest {
  readonly instigator: string
  readonly annotations?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Takes the pod as it is in the cluster, not a reduced view of it. */
export type RequestResolved = (pod: DeepReadonly<Pod>, request: ResolvedRequest) => Promise<RequestOutcome>

/**
 * Requests by Lifeboat's own account. Its writes skip its webhook, so what that would put into an Evacuation is in it
 * from the start: the same evacuators by the same function, the labels of the pod, and its node.
 */
export function resolvedRequests({ kube, gates, namespace, claims }: ResolvedRequestParts): RequestResolved {
  const builtIn = workloadEvacuatorsFor(gates, namespace)
  return async (pod, { instigator, annotations, signal }) => {
    const evacuators = resolveEvacuators(pod, await claims(pod, { isFresh: false, signal }))
    // It would take its hold before anything else, which is one write more for every pod of a drain.
    const beginner = builtIn.find(({ evacuatorClass }) => evacuatorClass === evacuators[0]?.evacuatorClass)
    return requestEvacuation(kube, {
      instigator,
      pod: podRefOf(pod),
      evacuators,
      ...(beginner === undefined ? {} : { heldBy: beginner.evacuatorClass }),
      ...(pod.metadata.labels === undefined ? {} : { labels: pod.metadata.labels }),
      ...(pod.spec?.nodeName === undefined ? {} : { node: pod.spec.nodeName }),
      ...(annotations === undefined ? {} : { annotations }),
      signal,
    })
  }
}
