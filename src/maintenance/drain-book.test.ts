import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import { expect, test } from 'vitest'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import { DrainBook } from './drain-book.ts'
import { noAgents } from './plan/pods.ts'
import { canonical } from './plan/targets.ts'

const statusKey = 'nodemaintenance.k8s.io/maintenance-status'
const draining = [
  {
    name: 'm',
    createdMs: 0,
    plan: [5, 100].map((podPriority) => ({ podPriority, podType: 'Default' as const })),
  },
]
const node = (name: string, targets: readonly object[] = [], uid = name): Node => ({
  metadata: { name, uid, annotations: { [statusKey]: JSON.stringify({ drainTargets: targets }) } },
})
const pod = (name: string, priority: number): Pod => ({
  metadata: { namespace: 'shop', name, uid: `${name}-uid` },
  spec: { containers: [], priority },
})
const low = { podPriority: 5, podType: 'Default' as const }
const high = { podPriority: 100, podType: 'Default' as const }

function ground() {
  const pods = new Map<string, Pod[]>()
  const followed = new Map<string, PromiseWithResolvers<void>>()
  const due: string[] = []
  const evacuating = new Set<string>()
  const counts = { changed: 0 }
  const nodePods = {
    follow: (name: string) => {
      const synced = Promise.withResolvers<void>()
      followed.set(name, synced)
      return { synced: synced.promise, [Symbol.dispose]: () => void followed.delete(name) }
    },
    list: (name: string) => pods.get(name) ?? [],
    get: (name: string, key: { name: string }) => pods.get(name)?.find(({ metadata }) => metadata.name === key.name),
  } as unknown as NodePods
  const book = new DrainBook({
    nodePods,
    daemonSetsLeave: true,
    agents: noAgents,
    isEvacuating: ({ metadata }) => evacuating.has(metadata.name ?? ''),
    changed: () => void counts.changed++,
    due: (name, { metadata }) => void due.push(`${name}/${metadata.name}`),
  })
  const know = async (name: string) => {
    followed.get(name)?.resolve()
    await Promise.resolve()
    await Promise.resolve()
  }
  return { book, pods, followed, due, evacuating, counts, know }
}

test('nothing is concluded before all pods are known', async () => {
  const { book, pods, know } = ground()
  pods.set('one', [pod('web', 1)])
  book.put(node('one'), draining)
  book.put(node('two'), draining)
  expect(book.resolve()).toBe(false)
  await know('one')
  expect(book.resolve()).toBe(false)
  expect(book.resolution.nodes.size).toBe(0)
  await know('two')
  expect(book.resolve()).toBe(true)
  expect(book.resolution.nodes.get('one')).toMatchObject({ targets: [low], message: 'Evacuating' })
  expect(book.resolution.nodes.get('two')).toMatchObject({ targets: [low], message: 'Drained' })
})

test('a pod is due once the targets that it is within are written, and not before', async () => {
  const { book, pods, due, know, evacuating } = ground()
  pods.set('one', [pod('web', 1), pod('mail', 50)])
  book.put(node('one'), draining)
  await know('one')
  book.resolve()
  expect(due).toEqual([])
  expect(book.findDue('one', { namespace: 'shop', name: 'web' })).toBeUndefined()
  book.noteWritten('one', 'one', canonical([low]))
  book.resolve()
  expect(due).toEqual(['one/web'])
  expect(book.findDue('one', { namespace: 'shop', name: 'web' })?.metadata.name).toBe('web')
  expect(book.findDue('one', { namespace: 'shop', name: 'mail' })).toBeUndefined()
  evacuating.add('web')
  expect(book.findDue('one', { namespace: 'shop', name: 'web' })).toBeUndefined()
})

test('what a node has reached is read from the node, and another node of that name has reached nothing', async () => {
  const { book, pods, due, know } = ground()
  pods.set('one', [pod('mail', 50)])
  book.put(node('one', [high]), draining)
  await know('one')
  book.resolve()
  expect(due).toEqual(['one/mail'])
  book.noteWritten('one', 'one', canonical([high]))
  book.put(node('one', [], 'another'), draining)
  book.resolve()
  expect(book.resolution.nodes.get('one')?.tally.node.reached).toEqual([])
})

test('an annotation that cannot be read says nothing', async () => {
  const { book, know } = ground()
  book.put({ metadata: { name: 'one', uid: 'one', annotations: { [statusKey]: '?' } } }, draining)
  await know('one')
  book.resolve()
  expect(book.resolution.nodes.get('one')?.tally.node.reached).toEqual([])
})

test('an Evacuation is known by the node of its pod, and a node that is dropped is no longer followed', async () => {
  const { book, pods, followed, counts, know } = ground()
  const web = pod('web', 1)
  pods.set('one', [web])
  book.put(node('one'), draining)
  await know('one')
  book.resolve()
  const before = counts.changed
  book.touchEvacuation('shop/unknown')
  expect(counts.changed).toBe(before)
  book.touchEvacuation(evacuationIdOf(web))
  expect(counts.changed).toBe(before + 1)
  expect(book.knowsEvacuation(evacuationIdOf(web))).toBe(true)
  book.drop('one')
  expect(book.knowsEvacuation(evacuationIdOf(web))).toBe(false)
  expect([...followed.keys()]).toEqual([])
  expect(book.resolve()).toBe(true)
  expect(book.resolution.nodes.size).toBe(0)
})

test('closed, it follows nothing any more', () => {
  const { book, followed } = ground()
  book.put(node('one'), draining)
  expect([...followed.keys()]).toEqual(['one'])
  book[Symbol.dispose]()
  expect([...followed.keys()]).toEqual([])
})

test('the same again is no change', async () => {
  const { book, counts, know } = ground()
  const one = node('one')
  book.put(one, draining)
  await know('one')
  book.resolve()
  const before = counts.changed
  book.put(one, [...draining])
  expect(counts.changed).toBe(before)
})

test('what was decided for several nodes at once stands, in whatever order they are written', async () => {
  const { book, pods, due, know } = ground()
  const planOf = (...levels: number[]) => levels.map((podPriority) => ({ podPriority, podType: 'Default' as const }))
  const elder = { name: 'elder', createdMs: 0, plan: planOf(5, 100) }
  const younger = { name: 'younger', createdMs: 1, plan: planOf(5, 100) }
  pods.set('shared', [pod('web', 50)])
  pods.set('apart', [pod('mail', 50)])
  book.put(node('shared', [low]), [elder, younger])
  book.put(node('apart', [low]), [younger])
  await know('shared')
  await know('apart')
  book.resolve()
  expect(book.resolution.nodes.get('apart')).toMatchObject({ targets: [high], message: 'Evacuating' })
  book.noteWritten('shared', 'shared', canonical([high]))
  book.resolve()
  expect(due).toEqual(['shared/web'])
  expect(book.resolution.nodes.get('apart')).toMatchObject({ targets: [high], message: 'Evacuating' })
})

test('what was decided and not written is forgotten with who it was decided for', async () => {
  const { book, pods, know } = ground()
  const careful = { name: 'careful', createdMs: 1, plan: [{ podPriority: 1, podType: 'Default' as const }, low, high] }
  pods.set('one', [pod('web', 1), pod('mail', 50)])
  book.put(node('one'), draining)
  await know('one')
  book.resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([low])
  book.put(node('one'), [...draining, careful])
  book.resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([{ podPriority: 1, podType: 'Default' }])
})

test('what was decided for a node is not for another of its name', async () => {
  const { book, pods, know } = ground()
  pods.set('one', [pod('mail', 50)])
  book.put(node('one', [low]), draining)
  await know('one')
  book.resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([high])
  pods.set('one', [pod('web', 1)])
  book.put(node('one', [], 'another'), draining)
  book.resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([low])
})
