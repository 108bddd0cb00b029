import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { ObjectCache, type Change } from './object-cache.ts'

const object = (name: string, version: number, extra: { uid?: string; node?: string } = {}): KubernetesObject => ({
  metadata: {
    namespace: 'shop',
    name,
    uid: extra.uid ?? `uid-of-${name}`,
    resourceVersion: String(version),
    labels: { node: extra.node ?? 'one' },
  },
})

const byNode = {
  node: ({ metadata }: { metadata: { labels?: Readonly<Record<string, string>> } }) => [
    metadata.labels?.['node'] ?? '',
  ],
}
const told = (changes: readonly Change<KubernetesObject>[]) =>
  changes.map(({ kind, object: { metadata } }) => `${kind} ${metadata.name} ${metadata.uid}`)

describe('an ObjectCache', () => {
  test('holds what its packing makes of an object, and hands out what that opens', () => {
    const opened: object[] = []
    const cache = new ObjectCache<KubernetesObject>(byNode, {
      pack: (seen) => ({ text: JSON.stringify(seen) }),
      open: (packed) => {
        opened.push(packed)
        return JSON.parse((packed as { text: string }).text)
      },
    })
    const one = object('a', 1)
    expect(cache.put(one)).toEqual([{ kind: 'added', object: one }])
    expect(cache.put(object('a', 2, { node: 'two' }))).toEqual([
      { kind: 'updated', object: object('a', 2, { node: 'two' }), previous: one },
    ])
    cache.put(object('b', 3))
    expect([cache.byIndex('node', 'one'), cache.byIndex('node', 'two')]).toEqual([
      [object('b', 3)],
      [object('a', 2, { node: 'two' })],
    ])
    expect(cache.list()).toHaveLength(2)
    expect(cache.remove(object('a', 4, { node: 'two' }))).toHaveLength(1)
    expect([cache.size, cache.byIndex('node', 'two')]).toEqual([1, []])
    expect(opened.length).toBeGreaterThan(0)
  })

  test('tells objects of the same name apart by their namespace, or by having none', () => {
    const cache = new ObjectCache<KubernetesObject>()
    const places = [{ namespace: 'shop' }, { namespace: 'office' }, {}]
    const all = places.map((place, at) => ({
      metadata: { name: 'a', uid: `uid-${at}`, resourceVersion: '1', ...place },
    }))
    for (const each of all) cache.put(each)
    expect(cache.size).toBe(3)
    expect(all.map(({ metadata }) => cache.get(metadata)?.metadata.uid)).toEqual(['uid-0', 'uid-1', 'uid-2'])
    for (const each of all) cache.remove(each)
    expect([cache.size, cache.list()]).toEqual([0, []])
  })

  test('tells an addition, an update and a deletion once each', () => {
    const cache = new ObjectCache<KubernetesObject>()
    expect(told(cache.put(object('a', 1)))).toEqual(['added a uid-of-a'])
    expect(cache.put(object('a', 1))).toEqual([])
    expect(told(cache.put(object('a', 2)))).toEqual(['updated a uid-of-a'])
    expect(told(cache.remove(object('a', 3)))).toEqual(['deleted a uid-of-a'])
    expect(cache.remove(object('a', 3))).toEqual([])
  })

  test('another UID under a known name is a deletion and an addition', () => {
    const cache = new ObjectCache<KubernetesObject>()
    cache.put(object('a', 1, { uid: 'first' }))
    expect(told(cache.put(object('a', 2, { uid: 'second' })))).toEqual(['deleted a first', 'added a second'])
  })

  test('the late deletion of an earlier UID leaves the present one alone', () => {
    const cache = new ObjectCache<KubernetesObject>()
    cache.put(object('a', 2, { uid: 'second' }))
    expect(cache.remove(object('a', 1, { uid: 'first' }))).toEqual([])
    expect(cache.get({ namespace: 'shop', name: 'a' })?.metadata.uid).toBe('second')
  })

  test('a complete list takes out what it does not name', () => {
    const cache = new ObjectCache<KubernetesObject>()
    cache.replaceAll([object('a', 1), object('b', 2)])
    expect(told(cache.replaceAll([object('b', 3), object('c', 4)]))).toEqual([
      'deleted a uid-of-a',
      'updated b uid-of-b',
      'added c uid-of-c',
    ])
  })

  test('an index follows an object that moves', () => {
    const cache = new ObjectCache<KubernetesObject>(byNode)
    cache.put(object('a', 1, { node: 'one' }))
    cache.put(object('a', 2, { node: 'two' }))
    expect(cache.byIndex('node', 'one')).toEqual([])
    expect(cache.byIndex('node', 'two')).toHaveLength(1)
    expect(() => cache.byIndex('zone', 'x')).toThrow('no index zone')
  })

  test('managedFields are not kept, and the object that was handed in is left as it is', () => {
    const cache = new ObjectCache<KubernetesObject>()
    const managed = { metadata: { ...object('a', 1).metadata, managedFields: [{ manager: 'kubectl' }] } }
    cache.put(managed)
    expect(cache.list()[0]?.metadata).not.toHaveProperty('managedFields')
    expect(managed.metadata.managedFields).toHaveLength(1)
  })

  test('whoever applies the told changes has what the cache has, and so have the indexes', () => {
    const seen = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      uid: fc.constantFrom('x', 'y'),
      node: fc.constantFrom('one', 'two'),
    })
    const action = fc.oneof(
      fc.record({ kind: fc.constant('put'), seen }),
      fc.record({ kind: fc.constant('remove'), seen }),
      fc.record({
        kind: fc.constantFrom('replaceAll', 'byPages'),
        all: fc.uniqueArray(seen, { selector: ({ name }) => name }),
      }),
    )
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const cache = new ObjectCache<KubernetesObject>(byNode)
        const mirror = new Map<string, string>()
        let version = 0
        for (const step of actions) {
          const next = (one: { name: string; uid: string; node: string }) => object(one.name, ++version, one)
          const changes =
            'all' in step
              ? (step.kind === 'byPages' ? replaceBitByBit : replaceAtOnce)(cache, step.all.map(next))
              : step.kind === 'put'
                ? cache.put(next(step.seen))
                : cache.remove(next(step.seen))
          for (const change of changes) applyToMirror(mirror, change)
        }
        const held = cache.list()
        expect(new Map(held.map(({ metadata }) => [metadata.name, metadata.uid]))).toEqual(mirror)
        const indexed = ['one', 'two'].flatMap((node) => cache.byIndex('node', node))
        expect(new Set(indexed)).toEqual(new Set(held))
      }),
      { numRuns: 500 },
    )
  })
})

function replaceAtOnce(cache: ObjectCache<KubernetesObject>, all: readonly KubernetesObject[]) {
  return cache.replaceAll(all)
}

function replaceBitByBit(cache: ObjectCache<KubernetesObject>, all: readonly KubernetesObject[]) {
  const replacement = cache.beginReplacement()
  return [...all.flatMap((one) => replacement.put(one)), ...replacement.end()]
}

/** Fails on a change that cannot follow from what was told before: an addition of what is there, a deletion of what is not. */
function applyToMirror(mirror: Map<string, string>, { kind, object: { metadata } }: Change<KubernetesObject>): void {
  const name = metadata.name
  expect(mirror.has(name)).toBe(kind !== 'added')
  if (kind === 'deleted') expect(mirror.get(name)).toBe(metadata.uid)
  if (kind === 'deleted') mirror.delete(name)
  else mirror.set(name, metadata.uid)
}
