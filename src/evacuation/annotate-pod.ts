import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { podRefOfEvacuation } from '../api/evacuation/pod-reference.ts'
import { pods } from '../api/kubernetes/resources.ts'
import type { Kube } from '../kube/client/client.ts'
import { isKubeError } from '../kube/client/errors.ts'

/** Annotates the pod of an Evacuation; null takes an annotation away. The UID keeps it from a later pod of the same name. */
export async function annotatePod(
  kube: Kube,
  evacuation: Evacuation,
  values: Readonly<Record<string, string | null>>,
  signal: AbortSignal,
): Promise<void> {
  const { uid, name, namespace } = podRefOfEvacuation(evacuation)
  const body = { metadata: { uid, annotations: values } }
  try {
    await kube.patch(pods, { namespace, name }, { type: 'merge', body }, { signal })
  } catch (error) {
    // So the API server answers to another UID. The next look finds out that the pod is gone.
    if (!isKubeError(error, 'invalid')) throw error
  }
}
