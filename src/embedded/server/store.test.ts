import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { CompactedError, keyOf, Store, type StoreEvent } from './store.ts'

const object = (name: string, namespace?: string) => ({
  metadata: storedMeta({ name, ...(namespace === undefined ? {} : { namespace }) }),
})
const names = (objects: readonly { metadata: { name?: string } }[]) => objects.map(({ metadata }) => metadata.name)

describe('a store', () => {
  test('gives every write a version of its own, across kinds', () => {
    const store = new Store()
    const first = store.put('pods', 'shop/a', object('a', 'shop'))
    const second = store.put('nodes', 'one', object('one'))
    expect(Number(second.metadata.resourceVersion)).toBe(Number(first.metadata.resourceVersion) + 1)
    expect(store.revision).toBe(Number(second.metadata.resourceVersion))
  })

  test('lists in the order of etcd, by namespace and by name', () => {
    const store = new Store()
    const inNamespaces = [object('z', 'b'), object('x', 'a-b'), object('b', 'a'), object('a', 'a')]
    for (const pod of inNamespaces) store.put('pods', keyOf(pod.metadata), pod)
    expect(names(store.list('pods'))).toEqual(['x', 'a', 'b', 'z'])
    expect(names(store.list('pods', 'a'))).toEqual(['a', 'b'])
    expect(names(store.list('pods', 'none'))).toEqual([])
  })

  test('lists in order also what came and went since the last list', () => {
    const store = new Store()
    for (const name of ['m', 'c', 'x']) store.put('nodes', name, object(name))
    expect(names(store.list('nodes'))).toEqual(['c', 'm', 'x'])
    for (const name of ['z', 'a', 'n']) store.put('nodes', name, object(name))
    for (const name of ['c', 'z']) store.delete('nodes', name)
    store.put('nodes', 'm', object('m'))
    expect(names(store.list('nodes'))).toEqual(['a', 'm', 'n', 'x'])
  })

  test('a deletion has a version of its own, and the last state', () => {
    const store = new Store()
    store.put('nodes', 'one', { ...object('one'), spec: { unschedulable: true } })
    const deleted = store.delete('nodes', 'one')
    expect(deleted).toMatchObject({
      metadata: { resourceVersion: String(store.revision) },
      spec: { unschedulable: true },
    })
    expect(store.get('nodes', 'one')).toBeUndefined()
    expect(() => store.delete('nodes', 'one')).toThrow('is there to be deleted')
  })

  test('tells what happened since a version, until that is compacted', () => {
    const store = new Store()
    store.put('nodes', 'one', object('one'))
    const from = store.revision
    store.put('nodes', 'two', object('two'))
    store.put('pods', 'shop/a', object('a', 'shop'))
    store.delete('nodes', 'one')
    expect(store.since('nodes', from).map(({ type, object: { metadata } }) => `${type} ${metadata.name}`)).toEqual([
      'ADDED two',
      'DELETED one',
    ])
    store.compact()
    expect(() => store.since('nodes', from)).toThrow(CompactedError)
    expect(store.since('nodes', store.revision)).toEqual([])
  })

  test('keeps a bounded history', () => {
    const store = new Store()
    const from = store.revision
    for (let count = 0; count < 20_000; count++) store.put('nodes', 'one', object('one'))
    expect(() => store.since('nodes', from)).toThrow(CompactedError)
    expect(store.since('nodes', store.revision - 5_000)).toHaveLength(5_000)
  })

  test('whoever applies its events has what it has', () => {
    const action = fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd'), deletes: fc.boolean() })
    fc.assert(
      fc.property(fc.array(action), (actions) => {
        const store = new Store()
        const mirror = new Map<string, unknown>()
        using _subscription = store.subscribe(({ type, object: seen }: StoreEvent) => {
          if (type === 'DELETED') mirror.delete(keyOf(seen.metadata))
          else mirror.set(keyOf(seen.metadata), seen)
        }, 'nodes')
        for (const { name, deletes } of actions) {
          if (!deletes) store.put('nodes', name, object(name))
          else if (store.get('nodes', name) !== undefined) store.delete('nodes', name)
        }
        expect(store.list('nodes')).toEqual([...mirror.keys()].toSorted().map((key) => mirror.get(key)))
      }),
    )
  })
})
