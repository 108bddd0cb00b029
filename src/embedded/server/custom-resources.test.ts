import { expect, test } from 'vitest'
import type { Transport } from '../../kube/client/transport.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { builtInAdmission } from './admission/built-in-admission.ts'
import { openEmbeddedCluster } from '../cluster.ts'

const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const boatsPath = '/apis/sea.example/v1/namespaces/default/boats'
const admin = { name: 'admin', groups: ['system:masters'] }

const version = (more: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  },
  ...more,
})
const definition = (versions: readonly object[] = [version()]) => ({
  metadata: { name: 'boats.sea.example' },
  spec: { group: 'sea.example', scope: 'Namespaced', names: { plural: 'boats', kind: 'Boat' }, versions },
})

async function opened() {
  const clock = new VirtualClock()
  const random = seededRandom(1)
  const admission = (store: Parameters<typeof builtInAdmission>[0]) => builtInAdmission(store)
  const cluster = await openEmbeddedCluster({ clock, random, log: silentLog, nodes: 0, admission })
  return { clock, cluster, transport: cluster.transport(admin) }
}

const post = async (transport: Transport, path: string, body: object) =>
  (await transport.request({ method: 'POST', path, body })).status
const get = (transport: Transport, path: string) => transport.request({ method: 'GET', path })

test('a kind is served as soon as its definition is there, and is then established', async () => {
  const { clock, cluster, transport } = await opened()
  await using _cluster = cluster
  expect((await get(transport, boatsPath)).status).toBe(404)
  expect(await post(transport, crdPath, definition())).toBe(201)
  expect(await post(transport, boatsPath, { metadata: { name: 'one' }, spec: { size: 3 } })).toBe(201)
  await clock.advance(1_000)
  const { body } = await get(transport, `${crdPath}/boats.sea.example`)
  const conditions = [
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: 'True' },
  ]
  expect(body).toMatchObject({ status: { conditions, storedVersions: ['v1'] } })
})

test('a version that is served no more is gone, and its objects stay', async () => {
  const { clock, cluster, transport } = await opened()
  await using _cluster = cluster
  await post(transport, crdPath, definition([version(), version({ name: 'v2', storage: false })]))
  await post(transport, boatsPath, { metadata: { name: 'one' } })
  await clock.advance(1_000)
  expect((await get(transport, boatsPath.replace('v1', 'v2'))).status).toBe(200)
  const body = { spec: { versions: [version()] } }
  const headers = { 'content-type': 'application/merge-patch+json' }
  await transport.request({ method: 'PATCH', path: `${crdPath}/boats.sea.example`, body, headers })
  expect((await get(transport, boatsPath.replace('v1', 'v2'))).status).toBe(404)
  expect((await get(transport, `${boatsPath}/one`)).status).toBe(200)
})

test('a definition takes its objects with it, and waits for those that are held', async () => {
  const { clock, cluster, transport } = await opened()
  await using _cluster = cluster
  await post(transport, crdPath, definition())
  await post(transport, boatsPath, { metadata: { name: 'free' } })
  await post(transport, boatsPath, { metadata: { name: 'held', finalizers: ['sea.example/anchor'] } })
  await clock.advance(1_000)
  await transport.request({ method: 'DELETE', path: `${crdPath}/boats.sea.example` })
  await clock.advance(5_000)
  expect((await get(transport, `${boatsPath}/free`)).status).toBe(404)
  expect((await get(transport, `${boatsPath}/held`)).status).toBe(200)
  const refused = await transport.request({ method: 'POST', path: boatsPath, body: { metadata: { name: 'late' } } })
  expect(refused).toMatchObject({
    status: 403,
    body: {
      message:
        'boats.sea.example "late" is forbidden: create not allowed while custom resource definition is terminating',
    },
  })
  const headers = { 'content-type': 'application/merge-patch+json' }
  const body = { metadata: { finalizers: [] } }
  await transport.request({ method: 'PATCH', path: `${boatsPath}/held`, body, headers })
  await clock.advance(5_000)
  expect((await get(transport, `${crdPath}/boats.sea.example`)).status).toBe(404)
  expect((await get(transport, boatsPath)).status).toBe(404)
})
