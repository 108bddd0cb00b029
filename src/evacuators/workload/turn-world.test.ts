import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { ConfigMap } from '../../api/kubernetes/core.ts'
import { configMaps, pods } from '../../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { rehearseCreation } from '../../kube/client/rehearsal.ts'
import { silentLog } from '../../runtime/log.ts'
import { stored } from '../../../test/build/stored.ts'
import { Interests } from './interests.ts'
import { readerOf, TurnWorld } from './turn-world.ts'
import { placeOf, WorkloadCaches } from './workload-caches.ts'

async function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  const caches = new WorkloadCaches({ kube, clock, random, log: silentLog, metrics: noKubeMetrics })
  const owner = { apiVersion: 'v1', kind: 'K', name: 'k', uid: 'u' }
  await kube.create(configMaps, {
    metadata: { namespace: 'shop', name: 'a', ownerReferences: [owner] },
    data: { x: '1' },
  })
  await kube.create(configMaps, { metadata: { namespace: 'shop', name: 'b' }, data: { x: '2' } })
  caches.follow('shop', { resource: configMaps })
  await clock.advance(10)
  const interests = new Interests()
  const world = new TurnWorld('shop', caches, interests.begin('e'), {
    read: readerOf(kube),
    rehearse: (resource, object) => rehearseCreation(kube, resource, object),
  })
  const wakes = (name: string, ownerUid?: string) => {
    const ownerReferences = ownerUid === undefined ? [] : [{ ...owner, uid: ownerUid }]
    const change = {
      kind: 'added',
      object: stored<ConfigMap>({ metadata: { namespace: 'shop', name, ownerReferences } }),
    } as const
    return interests.wokenBy(change, placeOf(configMaps, 'shop')).length > 0
  }
  return { caches, kube, world, wakes }
}

test('whoever looks at an object is woken by it, also if it is not there', async () => {
  const { caches, world, wakes } = await ground()
  expect(world.get(configMaps, 'a')?.data).toEqual({ x: '1' })
  expect(world.get(configMaps, 'c')).toBeUndefined()
  expect([wakes('a'), wakes('b'), wakes('c')]).toEqual([true, false, true])
  caches[Symbol.dispose]()
})

test('whoever looks at what somebody owns is woken by it', async () => {
  const { caches, world, wakes } = await ground()
  expect(world.ownedBy(configMaps, 'u').map(({ metadata }) => metadata.name)).toEqual(['a'])
  expect([wakes('new', 'u'), wakes('new', 'v')]).toEqual([true, false])
  caches[Symbol.dispose]()
})

test('whoever looks for something is woken by what matches', async () => {
  const { caches, world, wakes } = await ground()
  const found = world.select(configMaps, ({ metadata }) => metadata.name !== 'a')
  expect(found.map(({ metadata }) => metadata.name)).toEqual(['b'])
  expect([wakes('a'), wakes('z')]).toEqual([false, true])
  caches[Symbol.dispose]()
})

test('what is not followed is read from the API server', async () => {
  const { caches, world } = await ground()
  expect(await world.read.get(pods, { namespace: 'shop', name: 'a' })).toBeUndefined()
  expect((await world.read.get(configMaps, { namespace: 'shop', name: 'b' }))?.data).toEqual({ x: '2' })
  expect(await world.read.list(configMaps, 'shop')).toHaveLength(2)
  caches[Symbol.dispose]()
})
