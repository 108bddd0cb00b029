import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { buildAdmissionRequest } from '../../../../../test/build/admission-request.ts'
import { seededRandom } from '../../../../runtime/random.ts'
import { VirtualClock } from '../../../../runtime/virtual-clock.ts'
import { allowEverything } from '../../authorization.ts'
import { Definitions } from '../../definitions.ts'
import { Store } from '../../store.ts'
import type { AdmissionReview } from './admission-review.ts'
import { callWebhook, versionFor } from './call-webhook.ts'
import { InProcessWebhooks } from './webhook-caller.ts'
import { compileWebhooks, type CompiledWebhook } from './webhook-configuration.ts'

function ground(source: object, handler?: (review: AdmissionReview) => unknown) {
  const clock = new VirtualClock()
  const caller = new InProcessWebhooks()
  const clientConfig = { url: 'https://host/x' }
  if (handler !== undefined) caller.register(clientConfig, handler)
  const [webhook] = compileWebhooks({
    metadata: storedMeta({ name: 'x' }),
    webhooks: [{ name: 'one.example.com', sideEffects: 'None', clientConfig, ...source }],
  })
  const parts = {
    clock,
    caller,
    identities: seededRandom(1).stream('reviews'),
    store: new Store(),
    definitions: new Definitions([]),
    authorizer: allowEverything,
  }
  const warnings: string[] = []
  const call = (request = buildAdmissionRequest()) =>
    callWebhook({ webhook: webhook as CompiledWebhook, request, version: 'v1', warnings }, 'validating', parts)
  return { clock, parts, webhook: webhook as CompiledWebhook, call, warnings }
}

const answering = (response: object) => (review: AdmissionReview) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid: review.request.uid, ...response },
})

test('a refusal has the code, reason and details of the webhook, and warnings come with it', async () => {
  const status = { code: 429, reason: 'TooManyRequests', message: 'later', details: { retryAfterSeconds: 7 } }
  const { call, warnings } = ground({}, answering({ allowed: false, status, warnings: ['careful'] }))
  await expect(call()).rejects.toMatchObject({
    code: 429,
    reason: 'TooManyRequests',
    message: 'admission webhook "one.example.com" denied the request: later',
    details: { retryAfterSeconds: 7 },
  })
  expect(warnings).toEqual(['careful'])
})

test('a refusal without a code is a bad request', async () => {
  const { call } = ground({}, answering({ allowed: false }))
  await expect(call()).rejects.toMatchObject({
    code: 400,
    reason: '',
    message: 'admission webhook "one.example.com" denied the request without explanation',
  })
})

test('a webhook that cannot be reached refuses, or is ignored', async () => {
  await expect(ground({}).call()).rejects.toMatchObject({
    code: 500,
    message: expect.stringContaining('failed calling webhook "one.example.com": failed to call webhook: Post'),
  })
  expect(await ground({ failurePolicy: 'Ignore' }).call()).toBeUndefined()
})

test('an answer that is none counts as a failure', async () => {
  await expect(ground({}, () => ({})).call()).rejects.toThrow(
    'failed calling webhook "one.example.com": received invalid webhook response: webhook response was absent',
  )
})

test('time is up by the clock', async () => {
  const { call, clock } = ground({ timeoutSeconds: 2 }, () => new Promise(() => {}))
  const asked = call().catch((error: Error) => error.message)
  await clock.advance(1_999)
  expect(clock.pendingTimers).toBe(1)
  await clock.advance(1)
  expect(await asked).toContain('Post "https://host/x?timeout=2s": context deadline exceeded')
  expect(clock.pendingTimers).toBe(0)
})

test.each([
  ['None', undefined],
  ['NoneOnDryRun', undefined],
  ['Some', 'admission webhook "one.example.com" does not support dry run'],
  ['Unknown', 'admission webhook "one.example.com" does not support dry run'],
])('side effects %s on a dry run: %s', async (sideEffects, message) => {
  const { call } = ground({ sideEffects, failurePolicy: 'Ignore' }, answering({ allowed: true }))
  const asked = call(buildAdmissionRequest({ dryRun: true }))
  if (message === undefined) expect(await asked).toMatchObject({ allowed: true })
  else await expect(asked).rejects.toMatchObject({ code: 400, message })
})

test('a condition that fails refuses without a call', () => {
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }]
  const { webhook, parts } = ground({ rules, matchConditions: [{ name: 'bad', expression: 'object.x == 1' }] })
  expect(() => versionFor(webhook, buildAdmissionRequest(), parts)).toThrow(
    `configmaps "a" is forbidden: expression 'object.x == 1' resulted in error: no such key: x`,
  )
})
