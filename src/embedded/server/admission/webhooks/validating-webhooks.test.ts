import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'
import type { AdmissionReview } from './admission-review.ts'
import { InProcessWebhooks, type WebhookHandler } from './webhook-caller.ts'

const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const maps = '/api/v1/namespaces/shop/configmaps'

async function serverWith(handlers: Readonly<Record<string, WebhookHandler>>) {
  const webhookCaller = new InProcessWebhooks()
  const server = buildServer({ webhookCaller })
  for (const [name, handler] of Object.entries(handlers)) {
    const clientConfig = { url: `https://host/${name}` }
    webhookCaller.register(clientConfig, handler)
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }]
    const webhook = { name: `${name}.example.com`, clientConfig, rules, sideEffects: 'None' }
    const webhooks = [{ ...webhook, admissionReviewVersions: ['v1'] }]
    expect(said(await server.send('POST', path, { metadata: { name }, webhooks }))).toBe('201')
  }
  return server
}

const answer = ({ request: { uid } }: AdmissionReview, response: object) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid, ...response },
})

test('all are asked at once, and the refusal of the first in order is told', async () => {
  const asked: string[] = []
  const bothAsked = Promise.withResolvers<void>()
  const handler = (name: string) => async (review: AdmissionReview) => {
    asked.push(name)
    if (asked.length === 2) bothAsked.resolve()
    await bothAsked.promise
    return answer(review, { allowed: false, status: { message: name } })
  }
  const { send } = await serverWith({ b: handler('b'), a: handler('a') })
  expect(said(await send('POST', maps, { metadata: { name: 'x' } }))).toBe(
    '400 : admission webhook "a.example.com" denied the request: a',
  )
  expect(asked).toEqual(['a', 'b'])
})

test('warnings come in the order of the webhooks, each once', async () => {
  const warn =
    (...warnings: string[]) =>
    (review: AdmissionReview) =>
      answer(review, { allowed: true, warnings })
  const { send } = await serverWith({ b: warn('same', 'b'), a: warn('a', 'same') })
  const { headers } = await send('POST', maps, { metadata: { name: 'x' } })
  expect(headers['warning']).toEqual(['299 - "a"', '299 - "same"', '299 - "b"'])
})

test('a configuration that refuses everything can be removed', async () => {
  const { send } = await serverWith({ a: (review) => answer(review, { allowed: false }) })
  expect(said(await send('DELETE', `${path}/a`))).toBe('200')
  expect(said(await send('POST', maps, { metadata: { name: 'x' } }))).toBe('201')
})
