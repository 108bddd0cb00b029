import { cloneJson } from '../../json-value.ts'
import type { AdmissionReview } from './admission-review.ts'
import type { ClientConfig } from './webhook-configuration.ts'

export interface WebhookClient extends ClientConfig {
  /** For the webhook to know; the signal ends the call. */
  readonly timeoutSeconds: number
}

/** How webhooks are reached. Returns what the webhook answered, whatever it is; throws if it did not. */
export interface WebhookCaller {
  call(client: WebhookClient, review: AdmissionReview, signal: AbortSignal): Promise<unknown>
}

export type WebhookHandler = (review: AdmissionReview, signal: AbortSignal) => unknown

/** Where a webhook is: its URL, or the name that a service has within a cluster. */
export function addressOf({ url, service }: ClientConfig): string {
  if (url !== undefined || service === undefined) return url ?? ''
  const { name, namespace, path = '', port = 443 } = service
  return `https://${name}.${namespace}.svc:${port}${path === '' || path.startsWith('/') ? path : `/${path}`}`
}

/** What the real server calls the request in its messages. */
export function requestNameOf(client: WebhookClient): string {
  return `Post "${addressOf(client)}?timeout=${client.timeoutSeconds}s"`
}

/** Webhooks in this process, by their addresses: for simulation and tests, and for services where there is no network. */
export class InProcessWebhooks implements WebhookCaller {
  readonly #handlers = new Map<string, WebhookHandler>()
  readonly #otherwise: WebhookCaller | undefined

  /** What is not registered goes to `otherwise`, or is not there. */
  constructor(otherwise?: WebhookCaller) {
    this.#otherwise = otherwise
  }

  register(client: ClientConfig, handler: WebhookHandler): Disposable {
    const address = addressOf(client)
    this.#handlers.set(address, handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(address) }
  }

  async call(client: WebhookClient, review: AdmissionReview, signal: AbortSignal): Promise<unknown> {
    const handler = this.#handlers.get(addressOf(client))
    // Copies, as over a wire: neither side sees what the other does to its objects.
    if (handler !== undefined) return cloneJson(await handler(cloneJson(review) as AdmissionReview, signal))
    if (this.#otherwise !== undefined) return this.#otherwise.call(client, review, signal)
    throw new Error(`${requestNameOf(client)}: no webhook is registered under this address`)
  }
}
