import { Agent, request } from 'undici'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { hasIPv6 } from '../../../test/build/has-ipv6.ts'
import { buildEvacuationOfWeb, buildReviewRequest } from '../../../test/build/review-request.ts'
import { openAdmission } from '../../admission/admission.ts'
import { prometheusAdmissionMetrics } from '../../admission/metrics.ts'
import { makeServingCertificate } from '../../admission/serving/serving-certificate.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import { openLog } from '../../cli/commands/lifeboat-process.ts'
import type { Kube } from '../../kube/client/client.ts'
import { systemClock } from '../../runtime/system.ts'
import { hostNames, listenerServing, serviceAddress, serviceNames, urlAddress } from './listener-serving.ts'

function trustingOnly(caBundle: string) {
  const agent = new Agent({ connect: { ca: Buffer.from(caBundle, 'base64') } })
  return { agent, [Symbol.asyncDispose]: () => agent.close() }
}

test('webhooks answer at the URL that configurations name, with a certificate that their bundle vouches for', async () => {
  const base = new URL('https://127.0.0.1')
  const certificate = makeServingCertificate({ clock: systemClock, names: hostNames(base) })
  const serving = listenerServing({
    certificate,
    address: urlAddress(base),
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
  })
  const handler = async (review: unknown) => review as never
  await using served = await serving.open(new Map([['/evacuations/mutate', handler]]))
  const client = served.client('/evacuations/mutate')
  expect(client).toEqual({
    url: expect.stringMatching(/^https:\/\/127\.0\.0\.1:\d+\/reviews\/[0-9a-f]{64}\/evacuations\/mutate$/) as string,
    caBundle: certificate.caBundle(),
  })
  await using trusting = trustingOnly(client.caBundle)
  const { statusCode, body } = await request('url' in client ? client.url : '', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"kind":"AdmissionReview"}',
    dispatcher: trusting.agent,
  })
  expect([statusCode, await body.json()]).toEqual([200, { kind: 'AdmissionReview' }])
})

test.skipIf(!hasIPv6).each(['127.0.0.1', '[::1]'])(
  'a listener at every address is reached by %s, with a certificate for that address',
  async (host) => {
    const base = new URL(`https://${host}`)
    const certificate = makeServingCertificate({ clock: systemClock, names: hostNames(base) })
    const at = { host: '::', port: 0 }
    const serving = listenerServing({ certificate, address: urlAddress(base), ...at, clock: systemClock })
    await using served = await serving.open(new Map([['/x', async (review: unknown) => review as never]]))
    const client = served.client('/x')
    const url = 'url' in client ? client.url : ''
    expect(new URL(url).hostname).toBe(host)
    await using trusting = trustingOnly(client.caBundle)
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' } as const
    const { statusCode, body } = await request(url, { ...sent, dispatcher: trusting.agent })
    expect([statusCode, await body.json()]).toEqual([200, {}])
  },
)

test('neither logs nor metrics have the secret of the paths under which reviews come', async () => {
  const certificate = makeServingCertificate({ clock: systemClock, names: hostNames(new URL('https://127.0.0.1')) })
  const registry = new Registry()
  const lines: string[] = []
  const kube = {
    get: () => Promise.reject(new Error('the API server is away')),
    create: async () => ({ status: { allowed: false } }),
  } as unknown as Kube
  const handlers = openAdmission({
    kube,
    clock: systemClock,
    log: openLog({ logLevel: 'debug' }, { write: (line) => void lines.push(line) }),
    gates: featureGateDefaults,
    controllerEvictTimeoutMs: 60_000,
    listNodes: async () => [],
    metrics: prometheusAdmissionMetrics(registry),
  })
  const address = urlAddress(new URL('https://127.0.0.1'))
  const serving = listenerServing({ certificate, address, host: '127.0.0.1', port: 0, clock: systemClock })
  await using served = await serving.open(handlers)
  await using trusting = trustingOnly(certificate.caBundle())
  const headers = { 'content-type': 'application/json' }
  const review = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: buildReviewRequest({ object: buildEvacuationOfWeb() }),
  })
  const answers = new Set<number>()
  for (const path of handlers.keys()) {
    const client = served.client(path)
    const url = 'url' in client ? client.url : ''
    for (const [sent, body] of [
      [url, review],
      [url, '{}'],
      [`${url}/x`, review],
    ] as const) {
      const answer = await request(sent, { method: 'POST', headers, body, dispatcher: trusting.agent })
      await answer.body.dump()
      answers.add(answer.statusCode)
    }
  }
  expect(answers).toEqual(new Set([200, 400, 404, 500]))
  expect(lines.join()).toContain('"webhook":"/evictions/intercept"')
  const metrics = await registry.metrics()
  expect(metrics).toContain('webhook="/evictions/intercept",outcome="failed"')
  const secrets = certificate.acceptedPathSecrets()
  expect(secrets).toHaveLength(1)
  expect(secrets.filter((secret) => `${lines.join()}${metrics}`.includes(secret))).toEqual([])
  // Stack traces have a folder of that name in them, and no secret behind it.
  expect(`${lines.join()}${metrics}`).not.toMatch(/\/reviews\/[0-9a-f]{16}/)
})

test('a renewed certificate is shown, and told of', async () => {
  const stop = new AbortController()
  let renewed: () => void = () => {}
  const first = makeServingCertificate({ clock: systemClock, names: hostNames(new URL('https://127.0.0.1')) })
  const second = makeServingCertificate({ clock: systemClock, names: hostNames(new URL('https://127.0.0.1')) })
  let current = first
  const certificate = {
    serving: () => current.serving(),
    caBundle: () => current.caBundle(),
    pathSecret: () => current.pathSecret(),
    acceptedPathSecrets: () => current.acceptedPathSecrets(),
    keepFresh: async (_signal: AbortSignal, changed: () => void) => {
      renewed = changed
    },
  }
  const address = urlAddress(new URL('https://127.0.0.1'))
  const serving = listenerServing({ certificate, address, host: '127.0.0.1', port: 0, clock: systemClock })
  await using served = await serving.open(new Map([['/x', async () => ({}) as never]]))
  let told = 0
  await served.keepFresh(stop.signal, () => told++)
  current = second
  renewed()
  expect(told).toBe(1)
  const client = served.client('/x')
  await using trusting = trustingOnly(client.caBundle)
  const sent = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } } as const
  const { statusCode, body } = await request('url' in client ? client.url : '', {
    ...sent,
    dispatcher: trusting.agent,
  })
  await body.dump()
  expect(statusCode).toBe(200)
})

test('a Service is found by its name, and its certificate has that one name', () => {
  expect(serviceAddress('lifeboat-system', 'lifeboat-webhook')('/x', 9443)).toEqual({
    service: { namespace: 'lifeboat-system', name: 'lifeboat-webhook', path: '/x', port: 8443 },
  })
  expect(serviceNames('a', 'b')).toEqual({ dnsNames: ['b.a.svc'], addresses: [] })
})

test.each([
  ['https://10.0.0.7', { dnsNames: [], addresses: ['10.0.0.7'] }, 'https://10.0.0.7:8443/x'],
  ['https://[fd00::1]', { dnsNames: [], addresses: ['fd00::1'] }, 'https://[fd00::1]:8443/x'],
  [
    'https://lifeboat.example.com:9000',
    { dnsNames: ['lifeboat.example.com'], addresses: [] },
    'https://lifeboat.example.com:9000/x',
  ],
])('%s has its names and its place', (base, names, url) => {
  expect(hostNames(new URL(base))).toEqual(names)
  expect(urlAddress(new URL(base))('/x', 8443)).toEqual({ url })
})
