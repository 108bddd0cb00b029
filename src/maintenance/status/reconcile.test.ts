import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import {
  eventsOf,
  getMaintenance,
  maintain,
  nodeState,
  patchNode,
  selectNodes,
  setStage,
} from '../../../test/build/maintenance.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'

test('the status is written once a second at most, however fast things change, and the last state is in it', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const writtenAtMs: number[] = []
  const { manager } = await ground.open({
    wrap: (transport) => ({
      request: (request) => {
        if (request.path.endsWith('/nodemaintenances/upgrade/status')) writtenAtMs.push(ground.clock.nowMs())
        return transport.request(request)
      },
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    }),
  })
  await ground.until(manager.ready())
  await maintain(ground, 'upgrade', selectNodes('node-1', 'node-2'))
  for (let count = 0; count < 50; count++) {
    const spec = { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] }
    await ground.until(ground.admin.create(pods, { metadata: { namespace: 'default', name: `pod-${count}` }, spec }))
    await ground.pass(200)
  }
  await ground.pass(40_000)
  expect(writtenAtMs.length).toBeGreaterThan(8)
  const gaps = writtenAtMs.slice(1).map((at, index) => at - (writtenAtMs[index] ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000)
  expect((await getMaintenance(ground, 'upgrade')).status).toMatchObject({
    drainStatus: { nodesDrained: 2, podsPendingEvacuation: 0, podsEvacuating: 0 },
    conditions: [{ type: 'Drained', status: 'True' }],
  })
})

test('straight from Idle to Complete it makes schedulable what it selects, and later leaves it alone', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  for (const node of ['node-1', 'node-2']) await patchNode(ground, node, { spec: { unschedulable: true } })
  await maintain(ground, 'other', selectNodes('node-2'), { stage: 'Cordon' })
  await maintain(ground, 'upgrade', selectNodes('node-1', 'node-2'), { stage: 'Idle' })
  await ground.pass(3_000)
  await setStage(ground, 'upgrade', 'Complete')
  await ground.pass(5_000)
  expect(await nodeState(ground, 'node-1')).toBe('schedulable')
  expect(await nodeState(ground, 'node-2')).toBe('cordoned maintenance-status')
  await patchNode(ground, 'node-1', { spec: { unschedulable: true } })
  await ground.pass(5_000)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned')
})

test('what happens to it is told once each', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  await ground.createPod('web')
  await maintain(ground, 'upgrade', selectNodes('node-1'))
  await ground.pass(40_000)
  await setStage(ground, 'upgrade', 'Complete')
  await ground.pass(5_000)
  const told = eventsOf(ground).filter(({ about }) => about === 'NodeMaintenance upgrade')
  expect(told.map(({ reason, count }) => `${reason} ${count}`)).toEqual([
    'DrainStarted 1',
    'Drained 1',
    'CompleteStarted 1',
    'Completed 1',
  ])
})

test('over a thousand nodes the object stays small', async () => {
  await using ground = await openLifeboatGround({ nodes: 1_000 })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  const labels = [{ matchExpressions: [{ key: 'kubernetes.io/os', operator: 'Exists' as const }] }]
  await maintain(ground, 'upgrade', { nodeSelectorTerms: labels }, { drainPlan: longPlan() })
  await ground.pass(20_000)
  const maintenance = await getMaintenance(ground, 'upgrade')
  expect(maintenance.status).toMatchObject({ drainStatus: { nodesTotal: 1_000, nodesDrained: 1_000 } })
  expect(Buffer.byteLength(JSON.stringify(maintenance))).toBeLessThan(300 * 1_024)
  expect(Buffer.byteLength(JSON.stringify(maintenance))).toBeGreaterThan(50 * 1_024)
}, 60_000)

function longPlan(): NonNullable<NodeMaintenance['spec']['drainPlan']> {
  return Array.from({ length: 52 }, (_, index) => ({
    podPriority: index,
    podType: 'Default',
    podSelector: { matchLabels: { app: `an-application-with-a-name-of-some-length-${index}` } },
  }))
}
