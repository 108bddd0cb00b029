import type { InProcessWebhooks } from '../../embedded/admission/webhooks/webhook-caller.ts'
import type { WebhookServing } from '../../manager/webhook-serving.ts'

/** Webhooks that the embedded API server calls within this process: no listener, no certificate. */
export function inProcessServing(webhooks: InProcessWebhooks): WebhookServing {
  const urlOf = (path: string) => `https://lifeboat.invalid${path}`
  return {
    open: async (handlers) => {
      const registered = new DisposableStack()
      for (const [path, handler] of handlers) registered.use(webhooks.register({ url: urlOf(path) }, handler))
      return {
        client: (path) => ({ url: urlOf(path), caBundle: '' }),
        keepFresh: async () => {},
        [Symbol.asyncDispose]: async () => registered.dispose(),
      }
    },
  }
}
