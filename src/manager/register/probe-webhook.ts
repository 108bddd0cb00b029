import { instigators } from '../../api/names.ts'
import { rehearseEvacuation } from '../../evacuation-client/request-evacuation.ts'
import { concealSecrets } from '../../admission/serving/path-secret.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'

export type ProbeOutcome =
  | { readonly kind: 'reached' }
  /** The API server has no webhook to call, or does not know of it yet. */
  | { readonly kind: 'notRegistered' }
  | { readonly kind: 'failed'; readonly message: string }

/** A pod that never was: no random generator draws this UID. */
const [instigator, absentPod] = [
  instigators.nodeMaintenance,
  { name: 'lifeboat-probe', uid: '00000000-0000-4000-8000-000000000000' },
]

/**
 * Asks for an Evacuation of a pod that does not exist, as a dry run, which does not spare Lifeboat's own account. The
 * schema has nothing against it, so a refusal as invalid is the webhook's, and shows that the API server reached it.
 */
export async function probeWebhook(kube: Kube, namespace: string, signal?: AbortSignal): Promise<ProbeOutcome> {
  try {
    await rehearseEvacuation(kube, {
      instigator,
      pod: { namespace, ...absentPod },
      ...(signal === undefined ? {} : { signal }),
    })
    return { kind: 'notRegistered' }
  } catch (error) {
    if (isKubeError(error, 'invalid')) return { kind: 'reached' }
    if (isKubeError(error, 'notFound')) return { kind: 'notRegistered' }
    // The message has the URL of the webhook, and is logged, printed and shown by /readyz.
    if (isKubeError(error)) return { kind: 'failed', message: concealSecrets(error.message) }
    throw error
  }
}
