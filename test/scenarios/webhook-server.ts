import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { AdmissionReview } from '../../src/embedded/server/admission/webhooks/admission-review.ts'
import type { InProcessWebhooks } from '../../src/embedded/server/admission/webhooks/webhook-caller.ts'
import { createAuthority } from '../../src/runtime/certificates.ts'

/** The part of a review that the server fills in. */
export type ReviewRequest = Readonly<Record<string, unknown>> & { readonly uid: string }

/** What a webhook says to a review; `status` other than 200 answers with that and no review at all. */
export type HookHandler = (request: ReviewRequest) => HookAnswer | Promise<HookAnswer>

export interface HookAnswer {
  readonly response?: Readonly<Record<string, unknown>>
  readonly httpStatus?: number
}

export interface WebhookServer extends AsyncDisposable {
  /** Answers reviews under this path from now on; its URL comes back. */
  handle(path: string, handler: HookHandler): string
  /** For clients, as configurations have it. */
  readonly caBundle: string
}

/** Webhooks for both grounds, over HTTPS on loopback. */
export async function openWebhookServer(): Promise<WebhookServer> {
  const authority = createAuthority('authority of webhooks', Date.now())
  const pair = authority.issue({ commonName: 'webhooks', usage: 'server', addresses: ['127.0.0.1'] })
  const handlers = new Map<string, HookHandler>()
  const server = createServer({ cert: pair.certificate, key: pair.key }, (incoming, outgoing) => {
    const answer = async () => {
      const { request } = JSON.parse(await text(incoming)) as { request: ReviewRequest }
      const handler = handlers.get(new URL(incoming.url ?? '', 'https://localhost').pathname)
      const { response, httpStatus = 200 } = (await handler?.(request)) ?? { httpStatus: 404 }
      outgoing.writeHead(httpStatus, { 'content-type': response === undefined ? 'text/plain' : 'application/json' })
      outgoing.end(response === undefined ? 'out of order' : JSON.stringify(reviewOf(request, response)))
    }
    void answer().catch(() => outgoing.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    handle: (path, handler) => {
      handlers.set(path, handler)
      return `https://127.0.0.1:${port}${path}`
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const reviewOf = ({ uid }: Pick<ReviewRequest, 'uid'>, response: object) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid, ...response },
})

/** The same within the process, for clusters in virtual time. */
export function serveWithin(webhooks: InProcessWebhooks): WebhookServer {
  const registered = new DisposableStack()
  return {
    caBundle: '',
    handle: (path, handler) => {
      const url = `https://webhooks.test${path}`
      const answer = async ({ request }: AdmissionReview) => {
        const { response, httpStatus } = await handler({ ...request })
        if (response === undefined) throw new Error(`the webhook answered with ${httpStatus}`)
        return reviewOf(request, response)
      }
      registered.use(webhooks.register({ url }, answer))
      return url
    },
    [Symbol.asyncDispose]: async () => registered.dispose(),
  }
}
