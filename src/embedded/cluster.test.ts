import { expect, test } from 'vitest'
import { silentLog } from '../runtime/log.ts'
import { seededRandom } from '../runtime/random.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { builtInAdmission } from './server/admission/built-in-admission.ts'
import { openEmbeddedCluster } from './cluster.ts'

const admin = { name: 'admin', groups: ['system:masters'] }
const patchOf = (type: string, path: string) =>
  ({ method: 'PATCH', path, body: {}, headers: { 'content-type': `application/${type}` } }) as const

async function opened(seed = 1) {
  const clock = new VirtualClock()
  const cluster = await openEmbeddedCluster({
    clock,
    random: seededRandom(seed),
    log: silentLog,
    nodes: 3,
    admission: builtInAdmission,
    tokens: new Map([['abc', { name: 'joe', groups: ['staff'] }]]),
  })
  return { clock, cluster, transport: cluster.transport(admin) }
}

test('nodes come up by themselves, and a deployment runs on them', async () => {
  const { clock, cluster, transport } = await opened()
  await using _cluster = cluster
  const app = { app: 'web' }
  const template = { metadata: { labels: app }, spec: { containers: [{ name: 'main', image: 'app:1' }] } }
  const { status } = await transport.request({
    method: 'POST',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: { metadata: { name: 'web' }, spec: { replicas: 3, selector: { matchLabels: app }, template } },
  })
  expect(status).toBe(201)
  await clock.advance(60_000)
  expect(cluster.store.get('deployments.apps', 'default/web')).toMatchObject({ status: { availableReplicas: 3 } })
})

test('one seed gives one history, another seed another', async () => {
  const historyOf = async (seed: number) => {
    const { clock, cluster } = await opened(seed)
    await using _cluster = cluster
    await clock.advance(30_000)
    return JSON.stringify([...cluster.store.list('nodes'), ...cluster.store.list('leases.coordination.k8s.io')])
  }
  const first = await historyOf(7)
  expect(await historyOf(7)).toBe(first)
  expect(await historyOf(8)).not.toBe(first)
})

test('who brings a known token is its user; a stranger is told the real words', async () => {
  const { cluster } = await opened()
  await using _cluster = cluster
  const user = cluster.authenticator.authenticate({ authorization: 'Bearer abc', certificate: undefined })
  expect(user).toEqual({ name: 'joe', groups: ['staff', 'system:authenticated'] })
  expect(cluster.authenticator.authenticate({ authorization: 'Bearer x', certificate: undefined })).toBeUndefined()
  const joe = cluster.transport({ name: 'joe', groups: ['system:authenticated'] })
  expect(await joe.request({ method: 'GET', path: '/api/v1/nodes' })).toMatchObject({
    status: 403,
    body: {
      message: 'nodes is forbidden: User "joe" cannot list resource "nodes" in API group "" at the cluster scope',
    },
  })
  expect(await joe.request({ method: 'GET', path: '/apis' })).toMatchObject({ status: 200 })
})

test('a type of patch is refused before the object is looked for', async () => {
  const { cluster, transport } = await opened()
  await using _cluster = cluster
  const path = '/api/v1/nodes/nobody'
  expect(await transport.request(patchOf('apply-patch+yaml', path))).toMatchObject({ status: 415 })
  expect(await transport.request(patchOf('merge-patch+json', path))).toMatchObject({ status: 404 })
})

test('once closed, nothing goes on', async () => {
  const { clock, cluster } = await opened()
  await clock.advance(30_000)
  await cluster[Symbol.asyncDispose]()
  const { revision } = cluster.store
  await clock.advance(600_000)
  expect(cluster.store.revision).toBe(revision)
})
