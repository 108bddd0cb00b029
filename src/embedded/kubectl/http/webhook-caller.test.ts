import { expect, test } from 'vitest'
import { openWebhookServer } from '../../../../test/scenarios/webhook-server.ts'
import { httpsWebhookCaller } from './webhook-caller.ts'

const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { uid: 'uid-1' } }
const { signal } = new AbortController()
const timeoutSeconds = 3

test('a webhook is called by its URL and trusted by its authority', async () => {
  await using server = await openWebhookServer()
  const url = server.handle('/x', ({ uid }) => ({ response: { allowed: uid === 'uid-1' } }))
  const caller = httpsWebhookCaller()
  expect(await caller.call({ url, caBundle: server.caBundle, timeoutSeconds }, review, signal)).toMatchObject({
    response: { uid: 'uid-1', allowed: true },
  })
  await expect(caller.call({ url, timeoutSeconds }, review, signal)).rejects.toThrow(
    `Post "${url}?timeout=3s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  )
})

test.each([
  [404, 'the server could not find the requested resource'],
  [500, 'an error on the server ("out of order") has prevented the request from succeeding'],
  [418, 'the server responded with the status code 418 but did not return more information'],
  [200, "couldn't get version/kind; json parse error"],
])('an answer of %d is told: %s', async (httpStatus, message) => {
  await using server = await openWebhookServer()
  const url = server.handle('/x', () => ({ httpStatus }))
  const client = { url, caBundle: server.caBundle, timeoutSeconds }
  await expect(httpsWebhookCaller().call(client, review, signal)).rejects.toThrow(message)
})

test('a call ends with its signal', async () => {
  await using server = await openWebhookServer()
  const called = Promise.withResolvers<void>()
  const url = server.handle('/x', () => {
    called.resolve()
    return new Promise<never>(() => {})
  })
  const stop = new AbortController()
  const call = httpsWebhookCaller().call({ url, caBundle: server.caBundle, timeoutSeconds }, review, stop.signal)
  const ended = call.catch((error: Error) => error.message)
  await called.promise
  stop.abort()
  expect(await ended).toContain('aborted')
})

test('who does not listen is told, and so is what has no address here', async () => {
  const url = 'https://127.0.0.1:1/x'
  await expect(httpsWebhookCaller().call({ url, timeoutSeconds }, review, signal)).rejects.toThrow(
    `Post "${url}?timeout=3s": dial tcp 127.0.0.1:1: connect: connection refused`,
  )
  const service = { name: 'web', namespace: 'shop' }
  await expect(httpsWebhookCaller().call({ service, timeoutSeconds }, review, signal)).rejects.toThrow(
    'Post "https://web.shop.svc:443?timeout=3s": the embedded cluster has no network for services',
  )
})
