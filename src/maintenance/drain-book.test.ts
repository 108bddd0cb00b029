import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import { expect, test } from 'vitest'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import { stored } from '../../test/build/stored.ts'
import { DrainBook, idOfPod, podOfId } from './drain-book.ts'
import { noAgents } from './plan/pods.ts'

const statusKey = 'nodemaintenance.k8s.io/maintenance-status'
const draining = [
  {
    name: 'm',
    createdMs: 0,
    plan: [5, 100].map((podPriority) => ({ podPriority, podType: 'Default' as const })),
  },
]
const node = (name: string, targets: readonly object[] = [], uid = name) =>
  stored<Node>({
    metadata: { name, uid, annotations: { [statusKey]: JSON.stringify({ drainTargets: targets }) } },
  })
const pod = (name: string, priority: number) =>
  stored<Pod>({ metadata: { namespace: 'shop', name, uid: `${name}-uid` }, spec: { containers: [], priority } })
const onOne = (name: string) => ({ node: 'one', namespace: 'shop', name })
const low = { podPriority: 5, podType: 'Default' as const }
const high = { podPriority: 100, podType: 'Default' as const }

function ground({ daemonSetsLeave = true } = {}) {
  const pods = new Map<string, Pod[]>()
  const followed = new Map<string, PromiseWithResolvers<void>>()
  const evacuating = new Set<string>()
  const nodePods = {
    follow: (name: string) => {
      const synced = Promise.withResolvers<void>()
      followed.set(name, synced)
      return { synced: synced.promise, [Symbol.dispose]: () => void followed.delete(name) }
    },
    list: (name: string) => pods.get(name) ?? [],
    get: (name: string, key: { name: string }) => pods.get(name)?.find(({ metadata }) => metadata.name === key.name),
  } satisfies Pick<NodePods, 'follow' | 'list' | 'get'>
  const book = new DrainBook({
    nodePods,
    daemonSetsLeave,
    agents: noAgents,
    isEvacuating: ({ metadata }) => evacuating.has(metadata.name),
  })
  /** Puts in a node whose pods are all known. */
  const put = (one: Node, maintenances: Parameters<DrainBook['put']>[1] = draining) => {
    const following = book.put(one, maintenances)
    if (following !== undefined) book.knowPods(one.metadata.name, following)
  }
  const resolve = () => book.resolve().duePods.map(idOfPod)
  return { book, pods, followed, evacuating, put, resolve }
}

test('nothing is concluded before all pods are known', () => {
  const { book, pods } = ground()
  pods.set('one', [pod('web', 1)])
  const one = book.put(node('one'), draining)
  const two = book.put(node('two'), draining)
  if (one === undefined || two === undefined) throw new Error('they are new')
  expect(book.resolve().isComplete).toBe(false)
  book.knowPods('one', one)
  expect(book.resolve().isComplete).toBe(false)
  expect(book.resolution.nodes.size).toBe(0)
  book.knowPods('two', two)
  expect(book.resolve().isComplete).toBe(true)
  expect(book.resolution.nodes.get('one')).toMatchObject({ targets: [low], message: 'Evacuating' })
  expect(book.resolution.nodes.get('two')).toMatchObject({ targets: [low], message: 'Drained' })
})

test('pods that become known after their node was dropped and put in again count for nothing', () => {
  const { book } = ground()
  const before = book.put(node('one'), draining)
  book.drop('one')
  book.put(node('one'), draining)
  if (before === undefined) throw new Error('it is new')
  book.knowPods('one', before)
  expect(book.resolve().isComplete).toBe(false)
})

test('a pod is due once the targets that it is within are written, and not before', () => {
  const { book, pods, put, resolve, evacuating } = ground()
  pods.set('one', [pod('web', 1), pod('mail', 50)])
  put(node('one'))
  expect(resolve()).toEqual([])
  expect(book.findDue(onOne('web'))).toBeUndefined()
  put(node('one', [low]))
  expect(resolve()).toEqual(['one/shop/web'])
  expect(book.findDue(onOne('web'))?.metadata.name).toBe('web')
  expect(book.findDue(onOne('mail'))).toBeUndefined()
  evacuating.add('web')
  expect(book.findDue(onOne('web'))).toBeUndefined()
})

test('what a node has reached is read from the node, and another node of that name has reached nothing', () => {
  const { book, pods, put, resolve } = ground()
  pods.set('one', [pod('mail', 50)])
  put(node('one', [high]))
  expect(resolve()).toEqual(['one/shop/mail'])
  put(node('one', [], 'another'))
  resolve()
  expect(book.resolution.nodes.get('one')?.tally.node.reached).toEqual([])
})

test('an annotation that cannot be read says nothing', () => {
  const { book, put, resolve } = ground()
  put(stored<Node>({ metadata: { name: 'one', annotations: { [statusKey]: '?' } } }))
  resolve()
  expect(book.resolution.nodes.get('one')?.tally.node.reached).toEqual([])
})

test('an Evacuation is known by the node of its pod, and a node that is dropped is no longer followed', () => {
  const { book, pods, followed, put, resolve } = ground()
  const web = pod('web', 1)
  pods.set('one', [web])
  put(node('one'))
  resolve()
  expect(book.isStale).toBe(false)
  book.touchEvacuation('shop/unknown')
  expect(book.isStale).toBe(false)
  book.touchEvacuation(evacuationIdOf(web))
  expect(book.isStale).toBe(true)
  expect(book.knowsEvacuation(evacuationIdOf(web))).toBe(true)
  book.drop('one')
  expect(book.knowsEvacuation(evacuationIdOf(web))).toBe(false)
  expect([...followed.keys()]).toEqual([])
  expect(book.resolve().isComplete).toBe(true)
  expect(book.resolution.nodes.size).toBe(0)
})

test('closed, it follows nothing any more', () => {
  const { book, followed } = ground()
  book.put(node('one'), draining)
  expect([...followed.keys()]).toEqual(['one'])
  book[Symbol.dispose]()
  expect([...followed.keys()]).toEqual([])
})

test('the same again is no change', () => {
  const { book, put, resolve } = ground()
  const one = node('one')
  put(one)
  resolve()
  put(one, [...draining])
  expect(book.isStale).toBe(false)
  put(node('one'))
  expect(book.isStale).toBe(true)
})

test('what was decided for several nodes at once stands, in whatever order they are written', () => {
  const { book, pods, put, resolve } = ground()
  const planOf = (...levels: number[]) => levels.map((podPriority) => ({ podPriority, podType: 'Default' as const }))
  const elder = { name: 'elder', createdMs: 0, plan: planOf(5, 100) }
  const younger = { name: 'younger', createdMs: 1, plan: planOf(5, 100) }
  pods.set('shared', [pod('web', 50)])
  pods.set('apart', [pod('mail', 50)])
  put(node('shared', [low]), [elder, younger])
  put(node('apart', [low]), [younger])
  expect(resolve()).toEqual([])
  expect(book.resolution.nodes.get('apart')).toMatchObject({ targets: [high], message: 'Evacuating' })
  put(node('shared', [high]), [elder, younger])
  expect(resolve()).toEqual(['shared/shop/web'])
  expect(book.resolution.nodes.get('apart')).toMatchObject({ targets: [high], message: 'Evacuating' })
})

test('what was decided and not written is forgotten with who it was decided for', () => {
  const { book, pods, put, resolve } = ground()
  const careful = { name: 'careful', createdMs: 1, plan: [{ podPriority: 1, podType: 'Default' as const }, low, high] }
  pods.set('one', [pod('web', 1), pod('mail', 50)])
  put(node('one'))
  resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([low])
  put(node('one'), [...draining, careful])
  resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([{ podPriority: 1, podType: 'Default' }])
})

test('what was decided for a node is not for another of its name', () => {
  const { book, pods, put, resolve } = ground()
  pods.set('one', [pod('mail', 50)])
  put(node('one', [low]))
  resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([high])
  pods.set('one', [pod('web', 1)])
  put(node('one', [], 'another'))
  resolve()
  expect(book.resolution.nodes.get('one')?.targets).toEqual([low])
})

test('a node whose pods are not known holds its maintenances and those that they share nodes with, and no others', () => {
  const { book, pods, put, resolve } = ground()
  const planOf = (name: string, createdMs: number) => ({ name, createdMs, plan: draining.flatMap(({ plan }) => plan) })
  const [apart, near, far] = [planOf('apart', 1), planOf('near', 2), planOf('far', 3)]
  pods.set('lonely', [pod('web', 1)])
  put(node('lonely'), [apart])
  put(node('shared'), [near, far])
  put(node('beside'), [far])
  resolve()
  expect(book.maintenanceOutcomeOf(far)?.nodesTotal).toBe(2)
  book.put(node('late'), [near])
  pods.set('lonely', [])
  book.touch('lonely')
  expect(book.resolve().isComplete).toBe(false)
  expect(book.outcomeOf(node('lonely'))).toMatchObject({ message: 'Drained' })
  expect(book.maintenanceOutcomeOf(apart)).toMatchObject({ isDrained: true })
  // What was said of the others stands.
  expect(book.maintenanceOutcomeOf(near)?.nodesTotal).toBe(1)
  expect(book.maintenanceOutcomeOf(far)?.nodesTotal).toBe(2)
  expect(book.outcomeOf(node('beside'))).toMatchObject({ message: 'Drained' })
  expect(book.outcomeOf(node('late'))).toBeUndefined()
})

test('what a plan came to is for the very node and the very maintenances that it was resolved for', () => {
  const { book, put, resolve } = ground()
  put(node('one'))
  resolve()
  const [before] = draining
  if (before === undefined) throw new Error('there is one')
  expect(book.outcomeOf(node('one'))).toMatchObject({ message: 'Drained' })
  expect(book.maintenanceOutcomeOf(before)).toMatchObject({ isDrained: true })
  expect(book.outcomeOf(node('one', [], 'another'))).toBeUndefined()
  // Made again under the same name.
  const again = { ...before }
  put(node('one'), [again])
  expect(book.outcomeOf(node('one'))).toBeUndefined()
  expect(book.maintenanceOutcomeOf(again)).toBeUndefined()
  // It says the same as the one before it, and has to be told all the same.
  expect(book.resolve().unheard).toEqual({ nodes: ['one'], maintenances: ['m'] })
  expect(book.resolve().unheard).toEqual({ nodes: [], maintenances: [] })
  expect(book.outcomeOf(node('one'))).toMatchObject({ message: 'Drained' })
})

test('a pod on a node has a key, and is found by it', () => {
  expect(podOfId(idOfPod(onOne('web')))).toEqual(onOne('web'))
})

test.each([
  { name: 'off, a DaemonSet pod stays', daemonSetsLeave: false, expected: true },
  { name: 'on, it leaves', daemonSetsLeave: true, expected: false },
])('with the gate of DaemonSets $name where it is drained', ({ daemonSetsLeave, expected }) => {
  const { book, pods, put } = ground({ daemonSetsLeave })
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: 'u', controller: true }
  const logs = pod('logs', 1)
  pods.set('one', [stored<Pod>({ ...logs, metadata: { ...logs.metadata, ownerReferences: [owner] } }), pod('web', 1)])
  expect(book.isLeftInPlace(onOne('logs'))).toBe(false)
  put(node('one'))
  expect(book.isLeftInPlace(onOne('logs'))).toBe(expected)
  expect(book.isLeftInPlace(onOne('web'))).toBe(false)
  expect(book.isLeftInPlace(onOne('gone'))).toBe(false)
})
