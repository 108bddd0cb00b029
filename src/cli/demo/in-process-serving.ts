import type { InProcessWebhooks } from '../../embedded/server/admission/webhooks/webhook-caller.ts'
import type { WebhookServing } from '../../manager/run/webhook-serving.ts'

/**
 * Webhooks that the embedded API server calls within this process, under URLs that no other server could answer: no
 * listener, no certificate. Closed, they are not answered any more, whatever becomes of who opened them.
 */
export function inProcessServing(webhooks: InProcessWebhooks, host: string): WebhookServing & { close(): void } {
  const open = new DisposableStack()
  const urlOf = (path: string) => `https://${host}.invalid${path}`
  return {
    close: () => open.dispose(),
    open: async (handlers) => {
      for (const [path, handler] of handlers) open.use(webhooks.register({ url: urlOf(path) }, handler))
      return {
        client: (path) => ({ url: urlOf(path), caBundle: '' }),
        keepFresh: async () => {},
        [Symbol.asyncDispose]: async () => open.dispose(),
      }
    },
  }
}
