import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'
import type { AdmissionReview } from './admission-review.ts'
import { InProcessWebhooks } from './webhook-caller.ts'

const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const maps = '/api/v1/namespaces/shop/configmaps'

interface Hook {
  readonly name: string
  readonly response: (object: { metadata: object; data?: { trace?: string } }, review: AdmissionReview) => object
  readonly extra?: object
}

async function serverWith(...hooks: readonly Hook[]) {
  const webhookCaller = new InProcessWebhooks()
  const server = buildServer({ webhookCaller })
  for (const { name, response, extra } of hooks) {
    const clientConfig = { url: `https://host/${name}` }
    webhookCaller.register(clientConfig, (review) => ({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid: review.request.uid, allowed: true, ...response(review.request['object'] as never, review) },
    }))
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }]
    const webhook = { name: `${name}.example.com`, clientConfig, rules, sideEffects: 'None', ...extra }
    const webhooks = [{ ...webhook, admissionReviewVersions: ['v1'] }]
    expect(said(await server.send('POST', path, { metadata: { name }, webhooks }))).toBe('201')
  }
  return server
}

const patchOf = (...operations: readonly object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

/** Adds its name to the trace. */
const tracing = (name: string, extra: object = {}): Hook => ({
  name,
  extra,
  response: ({ data }) => patchOf({ op: 'add', path: '/data/trace', value: `${data?.trace ?? ''}${name}` }),
})

async function traceOf(...hooks: readonly Hook[]): Promise<unknown> {
  const { send } = await serverWith(...hooks)
  const { body } = await send('POST', maps, { metadata: { name: 'x' }, data: { trace: '' } })
  return (body as { data?: { trace?: string } }).data?.trace
}

const again = { reinvocationPolicy: 'IfNeeded' }

test.each([
  { name: 'by the names of configurations', hooks: [tracing('b'), tracing('a')], trace: 'ab' },
  { name: 'never again by default', hooks: [tracing('a'), tracing('b')], trace: 'ab' },
  { name: 'again after a later change', hooks: [tracing('a', again), tracing('b')], trace: 'aba' },
  { name: 'not again without one', hooks: [tracing('a'), tracing('b', again)], trace: 'ab' },
  { name: 'once more at most', hooks: [tracing('a', again), tracing('b', again)], trace: 'abab' },
])('the order: $name', async ({ hooks, trace }) => {
  expect(await traceOf(...hooks)).toBe(trace)
})

test('a new object has no UID and no name made up while webhooks look at it, and both afterwards', async () => {
  const seen: AdmissionReview['request'][] = []
  const { send } = await serverWith({
    name: 'a',
    response: (_object, { request }) => {
      seen.push(request)
      return patchOf({ op: 'add', path: '/data', value: { patched: 'yes' } })
    },
  })
  const { body } = await send('POST', maps, { metadata: { generateName: 'x-' } })
  expect(seen[0]).not.toHaveProperty('name')
  expect(seen[0]?.['object']).toMatchObject({ metadata: { generateName: 'x-', namespace: 'shop' } })
  expect(seen[0]?.['object']).not.toHaveProperty('metadata.uid')
  expect(seen[0]?.['object']).not.toHaveProperty('metadata.name')
  expect(body).toMatchObject({
    data: { patched: 'yes' },
    metadata: { name: expect.stringMatching(/^x-.{5}$/), uid: expect.any(String) },
  })
})

test.each([
  ['unsupported patch type "Merge"', { ...patchOf({ op: 'test', path: '/x', value: 1 }), patchType: 'Merge' }],
  ['received undecodable patch in webhook response', { patchType: 'JSONPatch', patch: 'bm8=' }],
  ['Internal error occurred: the server rejected our request', patchOf({ op: 'remove', path: '/nothing' })],
  ['the patched object has no metadata', patchOf({ op: 'remove', path: '/metadata' })],
])('a patch that is none is not the fault of the client: %s', async (message, response) => {
  const { send } = await serverWith({ name: 'a', response: () => response })
  const answer = said(await send('POST', maps, { metadata: { name: 'x' } }))
  expect(answer).toMatch(/^500 InternalError/)
  expect(answer).toContain(message)
})

test('what cannot be read is ignored where failures are', async () => {
  const response = () => ({ patchType: 'JSONPatch', patch: 'bm8=' })
  const { send } = await serverWith({ name: 'a', response, extra: { failurePolicy: 'Ignore' } })
  expect(said(await send('POST', maps, { metadata: { name: 'x' } }))).toBe('201')
})

test('a deletion cannot be changed', async () => {
  const { send, store } = await serverWith({ name: 'a', response: () => patchOf({ op: 'add', path: '/x', value: 1 }) })
  store.put('configmaps', 'shop/x', { metadata: storedMeta({ name: 'x', namespace: 'shop' }) })
  expect(said(await send('DELETE', `${maps}/x`))).toContain(
    'admission webhook "a.example.com" attempted to modify the object, which is not supported for this operation',
  )
})
