import { expect, test } from 'vitest'
import { addressOf, InProcessWebhooks, requestNameOf } from './webhook-caller.ts'

const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'uid-1', labels: {} } }
const { signal } = new AbortController()

test.each([
  [{ url: 'https://host:1/x' }, 'https://host:1/x'],
  [{ service: { name: 'web', namespace: 'shop' } }, 'https://web.shop.svc:443'],
  [{ service: { name: 'web', namespace: 'shop', path: 'x', port: 8443 } }, 'https://web.shop.svc:8443/x'],
])('%j is at %s', (client, address) => {
  expect(addressOf(client)).toBe(address)
})

test('handlers are found by URL and by service, and get copies', async () => {
  const webhooks = new InProcessWebhooks()
  const service = { name: 'web', namespace: 'shop' }
  using registration = webhooks.register({ service }, ({ request }) => {
    Object.assign(request, { uid: 'changed' })
    return { response: {} }
  })
  expect(await webhooks.call({ service, timeoutSeconds: 1 }, review, signal)).toEqual({ response: {} })
  expect(review.request.uid).toBe('uid-1')
  registration[Symbol.dispose]()
  await expect(webhooks.call({ service, timeoutSeconds: 1 }, review, signal)).rejects.toThrow(
    'Post "https://web.shop.svc:443?timeout=1s": no webhook is registered under this address',
  )
})

test('what is not registered goes elsewhere', async () => {
  const webhooks = new InProcessWebhooks({ call: async (client) => requestNameOf(client) })
  expect(await webhooks.call({ url: 'https://host/x', timeoutSeconds: 3 }, review, signal)).toBe(
    'Post "https://host/x?timeout=3s"',
  )
})
