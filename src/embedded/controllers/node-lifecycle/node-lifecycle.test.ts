import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { isReady, isTerminating } from '../pod-status.ts'
import type { ControllerParts } from '../controller.ts'
import { Restartable } from '../restartable.ts'
import { startReplicaSetController } from '../replica-set/replica-set.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startNodeLifecycleController } from './node-lifecycle.ts'
import { startTaintEvictionController } from './taint-eviction.ts'

const controllers = [
  startNodeLifecycleController,
  startTaintEvictionController,
  startReplicaSetController,
  startScheduler,
  startKubelet,
]
const unreachable = 'node.kubernetes.io/unreachable'
/** As the admission plugin of the real server gives every pod. */
const tolerations = [{ key: unreachable, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }]
const notReady = 'node.kubernetes.io/not-ready'
const troubled = { metadata: { labels: { 'lifeboat.test/not-ready': 'true' } } }
const dies = { metadata: { labels: { 'lifeboat.test/silent': 'true' } } }

async function openNodes() {
  const ground = new ControllerGround(controllers)
  await ground.create('nodes', nodeNamed('one'))
  await ground.create('replicasets.apps', {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: templateOf({ app: 'web' }, { spec: { tolerations } }),
    },
  })
  await ground.settle()
  await ground.create('nodes', nodeNamed('two'))
  await ground.settle()
  return ground
}

const taintsOf = (ground: ControllerGround, name: string) =>
  (ground.get('nodes', name)?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`)
const executeTaintsOf = (ground: ControllerGround, name: string) =>
  (ground.get('nodes', name)?.spec?.taints ?? []).flatMap(({ key, effect }) => (effect === 'NoExecute' ? [key] : []))
const tainted = (ground: ControllerGround) =>
  ground
    .list('nodes')
    .flatMap(({ metadata: { name } }) => (executeTaintsOf(ground, name).length > 0 ? [name] : []))
    .toSorted()

async function addNodes(ground: ControllerGround, zones: Readonly<Record<string, number>>): Promise<void> {
  for (const [zone, count] of Object.entries(zones)) {
    for (let at = 1; at <= count; at++) {
      const labels = { 'topology.kubernetes.io/zone': zone }
      await ground.create('nodes', nodeNamed(`${zone}-${at}`, { labels }))
    }
  }
  await ground.pass(6)
}

async function openZones(zones: Readonly<Record<string, number>>): Promise<ControllerGround> {
  const ground = new ControllerGround([startNodeLifecycleController, startKubelet])
  await addNodes(ground, zones)
  return ground
}

async function silence(ground: ControllerGround, names: readonly string[]): Promise<void> {
  for (const name of names) await ground.patch('nodes', name, dies)
}

const readyOf = (ground: ControllerGround, name: string) =>
  ground.get('nodes', name)?.status?.conditions?.find(({ type }) => type === 'Ready')

describe('a node', () => {
  test('that lives is Ready for hours', async () => {
    await using ground = await openNodes()
    await ground.clock.advance(3 * 3_600_000)
    await ground.settle()
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'True', reason: 'KubeletReady' })
    expect(taintsOf(ground, 'one')).toEqual([])
  })

  test('that dies is unknown after the grace period, and its pods leave it after their toleration', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', dies)
    await ground.pass(45)
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'True' })
    await ground.pass(16)
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' })
    expect(taintsOf(ground, 'one')).toEqual([`${unreachable}:NoSchedule`, `${unreachable}:NoExecute`])
    expect(ground.list('pods').map(isReady)).toEqual([false])
    await ground.pass(285)
    expect(ground.list('pods').map(isTerminating)).toEqual([false])
    await ground.pass(20)
    // Nobody on the dead node can end it, so it stays, marked, beside its replacement.
    const [old, replacement] = ground.list('pods').toSorted((pod) => (isTerminating(pod) ? -1 : 1))
    expect(old?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')?.reason).toBe(
      'DeletionByTaintManager',
    )
    expect(replacement?.spec?.nodeName).toBe('two')
    expect(replacement === undefined ? false : isReady(replacement)).toBe(true)
  })

  test('that comes back loses its taints, and its pods are ready again', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', dies)
    await ground.pass(60)
    await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/silent': null } } })
    await ground.pass(15)
    expect(readyOf(ground, 'one')).toMatchObject({ status: 'True' })
    expect(taintsOf(ground, 'one')).toEqual([])
    expect(ground.list('pods').map(isReady)).toEqual([true])
  })

  test('that is cordoned has the taint of it, as long as it is', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', { spec: { unschedulable: true } })
    await ground.settle()
    expect(taintsOf(ground, 'one')).toEqual(['node.kubernetes.io/unschedulable:NoSchedule'])
    await ground.patch('nodes', 'one', { spec: { unschedulable: null } })
    await ground.settle()
    expect(taintsOf(ground, 'one')).toEqual([])
  })

  test('that reports trouble itself is tainted at once, and leaves the word on its pods to its kubelet', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', troubled)
    await ground.settle()
    expect(taintsOf(ground, 'one')).toEqual([`${notReady}:NoSchedule`])
    await ground.pass(6)
    expect(taintsOf(ground, 'one')).toEqual([`${notReady}:NoSchedule`, `${notReady}:NoExecute`])
    expect(ground.list('pods').map(isReady)).toEqual([true])
    await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/not-ready': null } } })
    await ground.settle()
    expect(taintsOf(ground, 'one')).toEqual([`${notReady}:NoExecute`])
    await ground.pass(6)
    expect(taintsOf(ground, 'one')).toEqual([])
  })

  test('that reports trouble and then falls silent is never without a taint', async () => {
    await using ground = await openNodes()
    await ground.patch('nodes', 'one', troubled)
    await ground.pass(10)
    const seen = new Set<string>()
    using _follow = ground.store.subscribe(() => seen.add(executeTaintsOf(ground, 'one').join(' ')), 'nodes')
    await ground.patch('nodes', 'one', dies)
    await ground.pass(60)
    expect([...seen]).toEqual([notReady, `${notReady} ${unreachable}`, unreachable])
  })
})

describe('a zone', () => {
  test('whose nodes die at once has their pods removed from one every ten seconds', async () => {
    await using ground = await openZones({ a: 12 })
    await silence(ground, ['a-1', 'a-2', 'a-3', 'a-4', 'a-5'])
    await ground.pass(61)
    const counts = [tainted(ground).length]
    for (let turn = 0; turn < 5; turn++) {
      await ground.pass(10)
      counts.push(tainted(ground).length)
    }
    expect(counts).toEqual([1, 2, 3, 4, 5, 5])
  })

  test('beside another has a pace of its own', async () => {
    await using ground = await openZones({ a: 3, b: 3 })
    await silence(ground, ['a-1', 'b-1'])
    await ground.pass(61)
    expect(tainted(ground)).toEqual(['a-1', 'b-1'])
  })

  test('that is small and mostly down is left alone, until more of it is up', async () => {
    await using ground = await openZones({ a: 5, b: 1 })
    await silence(ground, ['a-1', 'a-2', 'a-3'])
    await ground.pass(120)
    expect(tainted(ground)).toEqual([])
    await ground.patch('nodes', 'a-3', { metadata: { labels: { 'lifeboat.test/silent': null } } })
    await ground.pass(17)
    expect(tainted(ground)).toEqual(['a-1'])
  })

  test('that is lost beside another is evicted as ever', async () => {
    await using ground = await openZones({ a: 3, b: 1 })
    await silence(ground, ['a-1', 'a-2', 'a-3'])
    await ground.pass(90)
    expect(tainted(ground)).toEqual(['a-1', 'a-2', 'a-3'])
  })

  test('that is the last loses its taints, and keeps its pods until one is back', async () => {
    await using ground = await openZones({ a: 2, b: 1 })
    await silence(ground, ['a-1'])
    await ground.pass(65)
    expect(tainted(ground)).toEqual(['a-1'])
    await silence(ground, ['a-2', 'b-1'])
    await ground.pass(120)
    expect(tainted(ground)).toEqual([])
    await ground.patch('nodes', 'b-1', { metadata: { labels: { 'lifeboat.test/silent': null } } })
    await ground.pass(30)
    expect(tainted(ground)).toEqual(['a-1', 'a-2'])
  })
})

test('a restart takes the taints off, and they come back one after the other with a new time', async () => {
  const parts: ControllerParts[] = []
  const keepParts = (each: ControllerParts) => {
    parts.push(each)
    return { [Symbol.asyncDispose]: async () => {} }
  }
  await using ground = new ControllerGround([startKubelet, keepParts])
  const [own] = parts
  if (own === undefined) throw new Error('nothing was started')
  await using manager = new Restartable(own, [startNodeLifecycleController])
  await addNodes(ground, { a: 6 })
  await silence(ground, ['a-1', 'a-2'])
  await ground.pass(90)
  expect(tainted(ground)).toEqual(['a-1', 'a-2'])
  await manager.restart()
  await ground.settle()
  expect(tainted(ground)).toEqual([])
  await ground.pass(1)
  expect(tainted(ground)).toEqual(['a-1'])
  await ground.pass(10)
  expect(tainted(ground)).toEqual(['a-1', 'a-2'])
})
