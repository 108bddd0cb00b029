import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { silentLog } from '../../runtime/log.ts'
import { certificateSecretName, openStoredServingCertificate } from './stored-serving-certificate.ts'

const dayMs = 24 * 60 * 60 * 1_000
const path = `/api/v1/namespaces/shop/secrets/${certificateSecretName}`
const names = { dnsNames: ['lifeboat.shop.svc'], addresses: [] }

function ground() {
  const server = buildServer()
  const open = (dnsNames = names.dnsNames) =>
    openStoredServingCertificate({
      kube: buildKube(server.transport, server.clock),
      clock: server.clock,
      log: silentLog,
      namespace: 'shop',
      names: { ...names, dnsNames },
    })
  return { ...server, open }
}

test('whoever comes first makes the Secret, and all others take what it holds', async () => {
  const { open, send } = ground()
  const replicas = await Promise.all([open(), open(), open()])
  expect(new Set(replicas.map((replica) => replica.serving().certificate)).size).toBe(1)
  expect(new Set(replicas.map((replica) => replica.caBundle())).size).toBe(1)
  expect(new Set(replicas.map((replica) => replica.pathSecret())).size).toBe(1)
  const { body } = await send('GET', path)
  expect(body).toMatchObject({
    type: 'kubernetes.io/tls',
    metadata: { labels: { 'app.kubernetes.io/managed-by': 'lifeboat' } },
    data: { 'ca.crt': replicas[0].caBundle() },
  })
  expect(Object.keys((body as { data: object }).data).toSorted()).toEqual([
    'ca.crt',
    'ca.key',
    'tls.crt',
    'tls.key',
    'webhook-path',
  ])
  expect((await open()).caBundle()).toBe(replicas[0].caBundle())
})

test.each([
  { name: 'an empty Secret', data: {} },
  { name: 'nonsense', data: { 'ca.crt': 'eA==', 'ca.key': 'eA==', 'tls.crt': 'eA==', 'tls.key': 'eA==' } },
])('$name is filled', async ({ data }) => {
  const { open, send } = ground()
  await send('POST', '/api/v1/namespaces/shop/secrets', { metadata: { name: certificateSecretName }, data })
  const certificate = await open()
  const { body } = await send('GET', path)
  expect((body as { data: Record<string, string> }).data['ca.crt']).toBe(certificate.caBundle())
})

test('a Secret of a release that had no path secrets gets one, and keeps its certificate', async () => {
  const { open, send } = ground()
  const before = (await open()).serving()
  await send('PATCH', path, { data: { 'webhook-path': null } }, { contentType: 'application/merge-patch+json' })
  const replicas = await Promise.all([open(), open()])
  expect(replicas.map((replica) => replica.serving())).toEqual([before, before])
  expect(replicas[0].pathSecret()).toHaveLength(64)
  expect(replicas[1].pathSecret()).toBe(replicas[0].pathSecret())
})

test('a renewed path secret is let in by all replicas before one of them uses it', async () => {
  const { open, clock } = ground()
  const stop = new AbortController()
  const replicas = await Promise.all([open(), open()])
  const before = replicas[0].pathSecret()
  await clock.advance(60 * dayMs - 10 * 60 * 1_000)
  const keeping = replicas.map((replica) => replica.keepFresh(stop.signal, () => {}))
  const minute = 60 * 1_000
  const seen = { waiting: 0, switched: 0, dropped: 0 }
  for (let passedMs = 0; passedMs < 30 * 60 * minute; passedMs += minute) {
    await clock.advance(minute)
    const inUse = replicas.map((replica) => replica.pathSecret())
    const accepted = replicas.map((replica) => replica.acceptedPathSecrets())
    for (const secrets of accepted) expect(secrets).toEqual(expect.arrayContaining(inUse))
    if (accepted.every((secrets) => secrets.length === 2 && inUse.includes(before))) seen.waiting++
    if (accepted.every((secrets) => secrets.length === 2 && !inUse.includes(before))) seen.switched++
    if (accepted.every((secrets) => secrets.length === 1 && !inUse.includes(before))) seen.dropped++
  }
  stop.abort()
  await Promise.all(keeping)
  // About an hour, a day, and the rest.
  expect(seen.waiting).toBeGreaterThan(50)
  expect(seen.switched).toBeGreaterThan(23 * 60)
  expect(seen.dropped).toBeGreaterThan(60)
})

test('a certificate for other names is replaced, by the same authority', async () => {
  const { open } = ground()
  const first = await open()
  const second = await open(['other.shop.svc'])
  expect(second.serving()).not.toEqual(first.serving())
  expect(second.caBundle()).toBe(first.caBundle())
})

test('one replica renews and the others notice, with one change each', async () => {
  const { open, clock } = ground()
  const stop = new AbortController()
  const replicas = await Promise.all([open(), open()])
  const before = replicas[0].serving().certificate
  await clock.advance(60 * dayMs - 10 * 60 * 1_000)
  const changes = [0, 0]
  const keeping = replicas.map((replica, index) =>
    replica.keepFresh(stop.signal, () => {
      changes[index] = (changes[index] ?? 0) + 1
    }),
  )
  await clock.advance(20 * 60 * 1_000)
  stop.abort()
  await Promise.all(keeping)
  expect(changes).toEqual([1, 1])
  expect(replicas[0].serving().certificate).not.toBe(before)
  expect(replicas[0].serving()).toEqual(replicas[1].serving())
})

test('a Secret that somebody deletes is made again', async () => {
  const { open, clock, send } = ground()
  const stop = new AbortController()
  const certificate = await open()
  const before = certificate.caBundle()
  await send('DELETE', path)
  const keeping = certificate.keepFresh(stop.signal, () => {})
  await clock.advance(10 * 60 * 1_000)
  stop.abort()
  await keeping
  expect(certificate.caBundle()).not.toBe(before)
  expect((await send('GET', path)).status).toBe(200)
})
