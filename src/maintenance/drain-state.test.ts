import { describe, expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../test/build/lifeboat.ts'
import {
  eventsOf,
  getMaintenance,
  maintain,
  nodeState,
  patchNode,
  selectNodes,
  setStage,
} from '../../test/build/maintenance.ts'
import { stored } from '../../test/build/stored.ts'
import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { nodeMaintenances, type NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import { DrainState } from './drain-state.ts'
import { noAgents } from './plan/pods.ts'

const rack = { nodeSelectorTerms: [{ matchExpressions: [{ key: 'rack', operator: 'In' as const, values: ['7'] }] }] }
const label = (ground: LifeboatGround, node: string, value: string | null) =>
  patchNode(ground, node, { metadata: { labels: { rack: value } } })
const kept = { 'evacuation.coordination.k8s.io/priority_vm.example.com': '100' }

async function opened(ground: LifeboatGround) {
  const manager = await ground.open()
  await ground.until(manager.manager.ready())
  return manager
}

test('nodes come under maintenance by a label, and leave it by one', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  await opened(ground)
  await ground.createPod('a', kept)
  await ground.createPod('b', kept)
  await label(ground, 'node-1', '7')
  await maintain(ground, 'upgrade', rack)
  await ground.pass(5_000)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned cordoned maintenance-status')
  expect(ground.evacuationCount()).toBe(1)
  await label(ground, 'node-2', '7')
  await label(ground, 'node-1', null)
  await ground.pass(10_000)
  expect(await nodeState(ground, 'node-1')).toBe('schedulable')
  expect(await nodeState(ground, 'node-2')).toBe('cordoned cordoned maintenance-status')
  const { items } = await ground.until(ground.admin.list(evacuations, { namespace: 'default' }))
  expect(items.map(({ spec }) => spec.podRef.name)).toEqual(['b'])
  expect((await getMaintenance(ground, 'upgrade')).status?.drainStatus).toMatchObject({
    nodesTotal: 1,
    podsEvacuating: 1,
  })
})

test('the Evacuations of a shared node stay until the last maintenance that drains it is over', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await opened(ground)
  await ground.createPod('a', kept)
  await maintain(ground, 'one', selectNodes('node-1'))
  await maintain(ground, 'two', selectNodes('node-1'))
  await maintain(ground, 'three', selectNodes('node-1'), { stage: 'Cordon' })
  await ground.pass(5_000)
  await setStage(ground, 'one', 'Complete')
  await ground.pass(5_000)
  expect(ground.evacuationCount()).toBe(1)
  await ground.until(ground.admin.delete(nodeMaintenances, { name: 'two' }))
  await ground.pass(5_000)
  expect(ground.evacuationCount()).toBe(0)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned cordoned maintenance-status')
  await setStage(ground, 'three', 'Complete')
  await ground.pass(5_000)
  expect(await nodeState(ground, 'node-1')).toBe('schedulable')
})

test('what went while nobody was there is noticed at the start: nodes and Evacuations are let go', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const first = await opened(ground)
  await ground.createPod('a', kept)
  await ground.createPod('b', kept)
  await maintain(ground, 'one', selectNodes('node-1'))
  await maintain(ground, 'two', selectNodes('node-2'))
  await ground.pass(5_000)
  expect(ground.evacuationCount()).toBe(2)
  await ground.stop(first)
  for (const name of ['one', 'two']) {
    const patch = { type: 'merge', body: { metadata: { finalizers: [] } } } as const
    await ground.until(ground.admin.patch(nodeMaintenances, { name }, patch))
    await ground.until(ground.admin.delete(nodeMaintenances, { name }))
  }
  // Of node-2 even the marks are gone.
  const annotations = { 'nodemaintenance.k8s.io/maintenance-status': null, 'nodemaintenance.k8s.io/cordoned': null }
  await patchNode(ground, 'node-2', { metadata: { annotations } })
  await opened(ground)
  await ground.pass(10_000)
  expect(ground.evacuationCount()).toBe(0)
  expect(await nodeState(ground, 'node-1')).toBe('schedulable')
  expect(await nodeState(ground, 'node-2')).toBe('cordoned')
  expect(ground.podNames()).toEqual(['a', 'b'])
})

test('a younger maintenance on a node that is further on is told so, once', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  await opened(ground)
  await ground.createPod('a', kept)
  const plan = (podPriority: number) => [{ podPriority, podType: 'Default' as const }]
  await maintain(ground, 'old', selectNodes('node-1'), { drainPlan: plan(1_000) })
  await ground.pass(5_000)
  await maintain(ground, 'young', selectNodes('node-1', 'node-2'), { drainPlan: plan(10) })
  await ground.pass(10_000)
  const told = eventsOf(ground).filter(({ reason }) => reason === 'FastForwarded')
  expect(told.map(({ about, note, count }) => [about, note.includes('old is older'), count])).toEqual([
    ['NodeMaintenance young', true, 1],
  ])
})

test('a manifest that lacks the finalizer, put in with kubectl replace, gives no node back', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await opened(ground)
  await ground.createPod('a', kept)
  await maintain(ground, 'upgrade', selectNodes('node-1'))
  await ground.pass(5_000)
  const states: string[] = []
  const { metadata, ...rest } = await getMaintenance(ground, 'upgrade')
  await ground.until(ground.admin.replace(nodeMaintenances, { ...rest, metadata: { ...metadata, finalizers: [] } }))
  for (let looks = 0; looks < 20; looks++) {
    await ground.pass(100)
    states.push(await nodeState(ground, 'node-1'))
  }
  expect([...new Set(states)]).toEqual(['cordoned cordoned maintenance-status'])
  expect(ground.evacuationCount()).toBe(1)
  const { finalizers } = (await getMaintenance(ground, 'upgrade')).metadata
  expect(finalizers).toEqual(['nodemaintenance.k8s.io/maintenance-completion'])
})

describe('the state', () => {
  const instigated = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'
  const statusOf = (drainTargets: object[]) => ({
    'nodemaintenance.k8s.io/maintenance-status': JSON.stringify({ drainTargets }),
  })
  const upgrade = stored<NodeMaintenance>({
    metadata: {
      name: 'upgrade',
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['nodemaintenance.k8s.io/maintenance-completion'],
    },
    spec: { stage: 'Drain', nodeSelector: selectNodes('one') },
  })
  const web = stored<Pod>({ metadata: { namespace: 'shop', name: 'web' }, spec: { containers: [], nodeName: 'one' } })

  function stateOf(evacuation?: Evacuation) {
    const cluster = { node: stored<Node>({ metadata: { name: 'one', annotations: statusOf([]) } }) }
    const known = evacuation === undefined ? [] : [evacuation]
    const state = new DrainState({
      maintenances: { get: () => upgrade, list: () => [upgrade] },
      nodes: { areKnown: true, get: () => cluster.node, list: () => [cluster.node] },
      evacuations: { get: () => known[0], list: () => known },
      nodePods: {
        follow: () => ({ synced: Promise.resolve(), [Symbol.dispose]: () => {} }),
        get: () => web,
        list: () => [web],
      },
      agents: noAgents,
      daemonSetsLeave: true,
    })
    const { opened: followed } = state.noteAll()
    for (const each of followed) state.notePodsKnown(each)
    return { state, cluster }
  }

  test('has a pod whose turn comes by targets that were written, before the watch shows them', () => {
    const { state, cluster } = stateOf()
    expect(state.resolve().duePods).toEqual([])
    const annotations = statusOf([{ podPriority: 1_000_000_000, podType: 'Default' }])
    cluster.node = stored<Node>({ metadata: { name: 'one', resourceVersion: '2', annotations } })
    expect(state.noteWritten('one').isPlanStale).toBe(true)
    expect(state.resolve().duePods).toEqual([{ node: 'one', namespace: 'shop', name: 'web' }])
    expect(state.noteWritten('one').isPlanStale).toBe(false)
  })

  test('names once, when all pods are known, the Evacuations that may be of no drain', () => {
    const evacuation = stored<Evacuation>({
      metadata: { namespace: 'shop', name: 'of-another-pod', finalizers: [instigated] },
      spec: { podRef: { name: 'gone', uid: 'gone' }, progressDeadlineSeconds: 1_800 },
    })
    const { state } = stateOf(evacuation)
    expect(state.orphan('shop/of-another-pod')).toBeUndefined()
    expect(state.resolve().orphans).toEqual(['shop/of-another-pod'])
    expect(state.orphan('shop/of-another-pod')).toBe(evacuation)
    expect(state.resolve().orphans).toEqual([])
  })

  test('looks at no other node where a maintenance names those that it selects', () => {
    const all = new Map(
      Array.from({ length: 5_000 }, (_, at) => `node-${at}`).map((name) => [
        name,
        stored<Node>({ metadata: { name } }),
      ]),
    )
    const looked = new Map<string, number>()
    const known = new Map<string, NodeMaintenance>()
    const state = new DrainState({
      maintenances: { get: ({ name }) => known.get(name), list: () => [...known.values()] },
      nodes: {
        areKnown: true,
        get: (name) => {
          looked.set(name, (looked.get(name) ?? 0) + 1)
          return all.get(name)
        },
        list: () => expect.unreachable('all nodes are looked at'),
      },
      evacuations: { get: () => undefined, list: () => [] },
      nodePods: {
        follow: () => ({ synced: Promise.resolve(), [Symbol.dispose]: () => {} }),
        get: () => undefined,
        list: () => [],
      },
      agents: noAgents,
      daemonSetsLeave: true,
    })
    for (let at = 0; at < 500; at++) {
      const { metadata, spec } = upgrade
      const object = stored<NodeMaintenance>({
        metadata: { ...metadata, name: `drain-${at}`, uid: `uid-${at}` },
        spec: { ...spec, nodeSelector: selectNodes(`node-${at}`) },
      })
      known.set(object.metadata.name, object)
      const concerned = state.noteMaintenance({ kind: 'added', object })
      expect([...concerned.nodes, ...concerned.opened.map(({ name }) => name)]).toEqual([`node-${at}`, `node-${at}`])
      expect(state.maintenanceView(object)?.nodesTotal).toBe(1)
    }
    expect(looked.size).toBe(500)
    expect(Math.max(...looked.values())).toBeLessThan(10)
    const last = known.get('drain-499') ?? upgrade
    const { nodes } = state.noteMaintenance({ kind: 'deleted', object: last })
    expect([[...nodes], state.isDraining('node-499'), state.isDraining('node-498')]).toEqual([
      ['node-499'],
      false,
      true,
    ])
  })
})
