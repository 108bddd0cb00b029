import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { ControllerGround } from '../../../../test/build/controller-ground.ts'
import { builtIn } from '../../server/kinds/built-in.ts'
import { startGarbageCollector } from './garbage-collector.ts'

const path = '/api/v1/namespaces/shop/configmaps'

async function family() {
  const cluster = new ControllerGround([startGarbageCollector])
  const { send, store, clock, definitions, parts } = cluster
  const make = async (name: string, owner?: string) => {
    const uid = owner === undefined ? undefined : store.get('configmaps', `shop/${owner}`)?.metadata.uid
    const ownerReferences =
      uid === undefined ? [] : [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true }]
    await send('POST', path, { metadata: { name, ownerReferences } })
  }
  await make('grandparent')
  await make('parent', 'grandparent')
  await make('child', 'parent')
  await clock.advance(1_000)
  const left = () => store.list('configmaps').map(({ metadata }) => metadata.name)
  const open = { [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
  return { send, store, clock, definitions, parts, left, make, ...open }
}

test.each([
  { policy: 'Background', left: [] },
  { policy: 'Foreground', left: [] },
  { policy: 'Orphan', left: ['child', 'parent'] },
])('$policy leaves $left', async ({ policy, left: expected }) => {
  await using cluster = await family()
  await cluster.send('DELETE', `${path}/grandparent`, { propagationPolicy: policy })
  await cluster.clock.advance(10_000)
  expect(cluster.left()).toEqual(expected)
  expect(cluster.store.get('configmaps', 'shop/parent')?.metadata.ownerReferences ?? []).toEqual([])
})

test('in the foreground the owner goes last', async () => {
  await using cluster = await family()
  const gone: string[] = []
  using _watch = cluster.store.subscribe(({ type, object }) => {
    if (type === 'DELETED') gone.push(object.metadata.name)
  }, 'configmaps')
  await cluster.send('DELETE', `${path}/parent`, { propagationPolicy: 'Foreground' })
  await cluster.clock.advance(10_000)
  expect(gone).toEqual(['child', 'parent'])
})

test('one that starts later knows who was there before', async () => {
  await using cluster = await family()
  await using later = startGarbageCollector(cluster.parts)
  const { metadata, ...child } = cluster.store.get('configmaps', 'shop/child') ?? { metadata: {} }
  cluster.store.put('configmaps', 'shop/child', {
    ...child,
    metadata: storedMeta({ ...metadata, finalizers: ['example.com/hold'] }),
  })
  await cluster.clock.advance(10_000)
  expect(cluster.left()).toEqual(['child', 'grandparent', 'parent'])
  expect(later).toBeDefined()
})

test('what names an owner that was never there goes', async () => {
  await using cluster = await family()
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nobody' }]
  await cluster.send('POST', path, { metadata: { name: 'stray', ownerReferences } })
  await cluster.clock.advance(10_000)
  expect(cluster.left()).not.toContain('stray')
})

test('what names an owner of a kind that is not served stays', async () => {
  await using cluster = await family()
  const ownerReferences = [{ apiVersion: 'example.com/v1', kind: 'Widget', name: 'one', uid: 'one' }]
  await cluster.send('POST', path, { metadata: { name: 'kept', ownerReferences } })
  await cluster.clock.advance(10_000)
  expect(cluster.left()).toContain('kept')
})

test('what an object owned goes with it, also when its kind goes at the same moment', async () => {
  await using cluster = await family()
  const { send, store, definitions, clock } = cluster
  const kind = { group: 'example.com', version: 'v1', plural: 'widgets', kind: 'Widget' }
  definitions.add(builtIn(kind))
  const type = { apiVersion: 'example.com/v1', kind: 'Widget' }
  await send('POST', '/apis/example.com/v1/namespaces/shop/widgets', { ...type, metadata: { name: 'one' } })
  const uid = store.get('widgets.example.com', 'shop/one')?.metadata.uid
  await send('POST', path, { metadata: { name: 'part', ownerReferences: [{ ...type, name: 'one', uid }] } })
  await clock.advance(1_000)
  expect(cluster.left()).toContain('part')
  await send('DELETE', '/apis/example.com/v1/namespaces/shop/widgets/one')
  definitions.remove(builtIn(kind))
  await clock.advance(1_000)
  expect(cluster.left()).not.toContain('part')
})

test('a write that loses to one that concerns nobody is made again', async () => {
  await using cluster = await family()
  const { store, send, clock } = cluster
  const [uid, kept] = ['parent', 'grandparent'].map((name) => store.get('configmaps', `shop/${name}`)?.metadata.uid)
  const owner = (name: string, of = '') => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: of })
  const ownerReferences = [owner('parent', uid), owner('grandparent', kept)]
  await send('POST', path, { metadata: { name: 'shared', ownerReferences } })
  // Every time the collector takes an owner away, somebody writes a note first; three times only.
  let notes = 0
  using _watch = store.subscribe(({ type }) => {
    const shared = store.get('configmaps', 'shop/shared')
    if (type !== 'DELETED' || shared === undefined) return
    for (let turn = 0; turn < 3; turn++) {
      queueMicrotask(() => {
        const metadata = { ...shared.metadata, annotations: { note: String(notes++) } }
        store.put('configmaps', 'shop/shared', { ...shared, metadata })
      })
    }
  }, 'configmaps')
  await send('DELETE', `${path}/parent`, { propagationPolicy: 'Background' })
  await clock.advance(10_000)
  expect(notes).toBeGreaterThan(0)
  expect(store.get('configmaps', 'shop/shared')?.metadata.ownerReferences).toEqual([owner('grandparent', kept)])
})
