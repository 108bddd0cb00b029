import { evacuations, type Evacuation, type EvacuationStatusChange } from '../api/evacuation/evacuation.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { podRefOfEvacuation } from '../api/evacuation/pod-reference.ts'
import { keyOf, type Kube } from '../kube/client/client.ts'
import { isKubeError } from '../kube/client/errors.ts'

/** Everything that the controller writes but evictions, each guarded by what it was decided on. */
export class EvacuationWrites {
  readonly #kube: Kube

  constructor(kube: Kube) {
    this.#kube = kube
  }

  async setStatus(
    evacuation: DeepReadonly<Evacuation>,
    status: EvacuationStatusChange,
    signal: AbortSignal,
  ): Promise<void> {
    const body = { metadata: guardOf(evacuation), status }
    await this.#kube.patch(evacuations, keyOf(evacuation), { type: 'merge', body }, { subresource: 'status', signal })
  }

  async setFinalizers(
    evacuation: DeepReadonly<Evacuation>,
    finalizers: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    const body = { metadata: { ...guardOf(evacuation), finalizers } }
    await this.#kube.patch(evacuations, keyOf(evacuation), { type: 'merge', body }, { signal })
  }

  async delete(
    evacuation: DeepReadonly<Evacuation>,
    guard: { readonly resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { uid = '' } = evacuation.metadata
    await this.#kube.delete(evacuations, keyOf(evacuation), { preconditions: { uid, ...guard }, signal })
  }

  async unmarkPod(
    evacuation: DeepReadonly<Evacuation>,
    annotations: readonly string[],
    signal: AbortSignal,
  ): Promise<void> {
    await this.annotatePod(evacuation, Object.fromEntries(annotations.map((name) => [name, null])), signal)
  }

  /** The UID keeps it from a pod that came later under the same name. */
  async annotatePod(
    evacuation: DeepReadonly<Evacuation>,
    values: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid, name, namespace } = podRefOfEvacuation(evacuation)
    const body = { metadata: { uid, annotations: values } }
    try {
      await this.#kube.patch(pods, { namespace, name }, { type: 'merge', body }, { signal })
    } catch (error) {
      // So the API server answers to another UID. The next look finds out that the pod is gone.
      if (!isKubeError(error, 'invalid')) throw error
    }
  }
}

/** Refused if somebody wrote meanwhile: what was decided may not hold any more. */
function guardOf({ metadata: { resourceVersion } }: DeepReadonly<Evacuation>) {
  return { resourceVersion }
}
