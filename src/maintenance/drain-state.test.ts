import { expect, test } from 'vitest'
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
import { evacuations } from '../api/evacuation/evacuation.ts'
import { nodeMaintenances } from '../api/maintenance/node-maintenance.ts'

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
