import type { ReviewHandlers } from '../../admission/admission.ts'
import type { WebhookClientConfig } from '../../admission/serving/webhook-configurations.ts'

/**
 * Makes handlers reachable for the API server. There are three: a listener at a URL, for a process outside of the
 * cluster; a listener behind a Service, for one inside; and a call within the process, for the embedded cluster.
 */
export interface WebhookServing {
  open(handlers: ReviewHandlers): Promise<ServedWebhooks>
}

export interface ServedWebhooks extends AsyncDisposable {
  /** Asked again for every look: the bundle changes when the certificates do, and so does the secret in the path. */
  client(path: string): WebhookClientConfig
  /** Renews certificates in time, until the signal aborts; calls back when client() has something else to say. */
  keepFresh(signal: AbortSignal, changed: () => void): Promise<void>
}
