import { expect, test } from 'vitest'
import { buildServerWith } from '../../../../test/build/embedded-controllers.ts'
import { startGarbageCollector } from './garbage-collector.ts'

const path = '/api/v1/namespaces/shop/configmaps'

async function family() {
  const cluster = buildServerWith([startGarbageCollector])
  const { send, store, clock } = cluster
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
  return { ...cluster, left, make, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() }
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
    if (type === 'DELETED') gone.push(object.metadata.name ?? '')
  }, 'configmaps')
  await cluster.send('DELETE', `${path}/parent`, { propagationPolicy: 'Foreground' })
  await cluster.clock.advance(10_000)
  expect(gone).toEqual(['child', 'parent'])
})

test('what names an owner that was never there goes', async () => {
  await using cluster = await family()
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'nobody' }]
  await cluster.send('POST', path, { metadata: { name: 'stray', ownerReferences } })
  await cluster.clock.advance(10_000)
  expect(cluster.left()).not.toContain('stray')
})
