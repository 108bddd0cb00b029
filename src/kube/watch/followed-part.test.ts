import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConfigMap } from '../../api/kubernetes/core.ts'
import { configMaps, namespaces } from '../../api/kubernetes/resources.ts'
import { silentLog } from '../../runtime/log.ts'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { noKubeMetrics } from '../metrics.ts'
import { FollowedPart } from './followed-part.ts'
import { Informer } from './informer.ts'

const whole = { index: 'namespace', keyOf: ({ metadata }: ConfigMap) => metadata.namespace }

async function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  await kube.create(namespaces, { metadata: { name: 'bank' } })
  const parts = { kube, clock, random, log: silentLog, metrics: noKubeMetrics, resource: configMaps }
  const stop = new AbortController()
  const all = new Informer<ConfigMap>({ ...parts, indexes: { namespace: (object) => [object.metadata.namespace] } })
  const part = new FollowedPart<ConfigMap>('shop')
  all.subscribe((change) => {
    if (change.object.metadata.namespace === 'shop') part.noteInWhole(change)
  })
  const told: string[] = []
  const mirror = new Map<string, string>()
  part.subscribe(({ kind, object: { metadata } }) => {
    told.push(`${kind} ${metadata.name}`)
    expect(mirror.has(metadata.name)).toBe(kind !== 'added')
    if (kind === 'deleted') mirror.delete(metadata.name)
    else mirror.set(metadata.name, metadata.resourceVersion)
  })
  let opened = 0
  return {
    clock,
    kube,
    part,
    told,
    mirror,
    opened: () => opened,
    startAll: () => void all.run(stop.signal),
    readOwn: () =>
      part.readOwn(() => {
        opened++
        return new Informer<ConfigMap>({ ...parts, selection: { namespace: 'shop' } })
      }),
    readWhole: () => part.readWhole(all, whole),
    create: (name: string, namespace = 'shop') => kube.create(configMaps, { metadata: { name, namespace } }),
    [Symbol.dispose]: () => {
      part[Symbol.dispose]()
      stop.abort(new Error('the test is over'))
    },
  }
}

test('what the informer of the whole kind had before is told as added, and what is of another key never', async () => {
  using world = await ground()
  await world.create('a')
  await world.create('b', 'bank')
  world.startAll()
  await world.clock.advance(10)
  world.readWhole()
  expect(world.part.isSynced).toBe(false)
  await world.part.synced()
  expect(world.part.isSynced).toBe(true)
  expect(world.told).toEqual(['added a'])
  expect(world.part.list().map(({ metadata }) => metadata.name)).toEqual(['a'])
  expect(world.part.get({ namespace: 'bank', name: 'b' })).toBeUndefined()
  expect(world.part.byIndex('namespace', 'bank')).toEqual([])
})

test('reads its own informer until that of the whole kind is complete, and is told of what differs alone', async () => {
  using world = await ground()
  await world.create('a')
  world.readOwn()
  await world.clock.advance(10)
  world.readWhole()
  await world.create('b')
  await world.clock.advance(10)
  expect(world.told).toEqual(['added a', 'added b'])
  world.startAll()
  await world.part.settled()
  await world.create('c')
  await world.clock.advance(10)
  expect(world.told).toEqual(['added a', 'added b', 'added c'])
})

/** An informer of the whole kind whose list is from an earlier moment, as one that took long to read. */
function lateWhole(objects: readonly ConfigMap[]) {
  let now = { objects, version: -1n }
  let caughtUp = Promise.withResolvers<void>()
  return {
    isSynced: true,
    synced: async () => {},
    listedVersion: -1n,
    hasSeen: (version: bigint) => now.version >= version,
    seen: async () => await caughtUp.promise,
    silentForMs: () => 0,
    subscribe: () => ({ [Symbol.dispose]: () => {} }),
    get: ({ name }: { readonly name: string }) => now.objects.find(({ metadata }) => metadata.name === name),
    list: () => [...now.objects],
    byIndex: () => [...now.objects],
    become: (next: readonly ConfigMap[], version: bigint) => {
      now = { objects: next, version }
      caughtUp.resolve()
      caughtUp = Promise.withResolvers<void>()
    },
  }
}

test('never goes back in time: what is gone does not come back, and what is new does not vanish', async () => {
  using world = await ground()
  const gone = await world.create('gone')
  world.readOwn()
  await world.clock.advance(10)
  await world.kube.delete(configMaps, { namespace: 'shop', name: 'gone' })
  const added = await world.create('new')
  await world.clock.advance(10)
  const before = ['added gone', 'deleted gone', 'added new']
  expect(world.told).toEqual(before)

  const late = lateWhole([gone])
  world.part.readWhole(late, whole)
  await world.clock.advance(10)
  expect(world.part.list()).toEqual([added])
  // It has seen something, but not all.
  late.become([], BigInt(added.metadata.resourceVersion) - 1n)
  await world.clock.advance(10)
  expect(world.part.list()).toEqual([added])
  expect(world.told).toEqual(before)

  const newest = await world.create('newest')
  late.become([added, newest], BigInt(newest.metadata.resourceVersion))
  await world.part.settled()
  expect(world.part.list()).toEqual([added, newest])
  expect(world.told).toEqual([...before, 'added newest'])
})

test('waits for what its own list has shown to be gone, though no event said so', async () => {
  using world = await ground()
  const gone = await world.create('gone')
  await world.kube.delete(configMaps, { namespace: 'shop', name: 'gone' })
  world.readOwn()
  await world.clock.advance(10)
  const late = lateWhole([gone])
  world.part.readWhole(late, whole)
  await world.clock.advance(10)
  expect([world.part.list(), world.told]).toEqual([[], []])
  late.become([], world.part.listedVersion)
  await world.part.settled()
  expect([world.part.list(), world.told]).toEqual([[], []])
})

test('told to go back to its own informer while it waits for the other, it opens a new one', async () => {
  using world = await ground()
  await world.create('a')
  world.readOwn()
  await world.clock.advance(10)
  world.part.readWhole(lateWhole([]), whole)
  await world.clock.advance(10)
  await world.create('b')
  world.readOwn()
  await world.part.settled()
  expect([world.opened(), world.told]).toEqual([2, ['added a', 'added b']])
})

test('keeps its own informer if it is told to go back to it before the other was complete', async () => {
  using world = await ground()
  world.readOwn()
  world.readWhole()
  world.readOwn()
  await world.clock.advance(10)
  await world.part.synced()
  await world.create('a')
  await world.clock.advance(10)
  expect([world.opened(), world.told, world.part.readsWhole]).toEqual([1, ['added a'], false])
})

test('whatever it reads and whenever that changes, the told changes add up to what it lists', async () => {
  const kind = fc.constantFrom('create', 'change', 'remove', 'own', 'whole', 'wait')
  const step = fc.record({ kind, name: fc.constantFrom('a', 'b', 'c'), namespace: fc.constantFrom('shop', 'bank') })
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      using world = await ground()
      world.startAll()
      for (const { kind: what, name, namespace } of steps) {
        const key = { namespace, name }
        if (what === 'own') world.readOwn()
        else if (what === 'whole') world.readWhole()
        else if (what === 'wait') await world.clock.advance(10)
        else if (what === 'create') await world.create(name, namespace).catch(isRefused)
        else if (what === 'remove') await world.kube.delete(configMaps, key).catch(isRefused)
        else await world.kube.patch(configMaps, key, { type: 'merge', body: { data: { v: name } } }).catch(isRefused)
      }
      world.readOwn()
      await world.clock.advance(100)
      const listed = world.part.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const)
      expect(world.mirror).toEqual(new Map(listed))
      const stored = await world.kube.list(configMaps, { namespace: 'shop' })
      expect(new Set(listed.map(([name]) => name))).toEqual(new Set(stored.items.map(({ metadata }) => metadata.name)))
    }),
    { numRuns: 60 },
  )
})

/** It is there already, or is not there: both may be drawn. */
function isRefused(error: unknown): void {
  expect(String(error)).toMatch(/already exists|not found/)
}
