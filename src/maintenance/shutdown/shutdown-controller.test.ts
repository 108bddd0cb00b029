import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { noting } from '../../../test/build/maintenance.ts'
import { PlayedAgent } from '../../../test/build/played-agent.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import type { TransportRequest } from '../../kube/client/transport.ts'
import { installation } from '../../manager/install/installation-names.ts'

const ofNode = ({ path, query }: TransportRequest) =>
  path === '/api/v1/nodes' && query?.['fieldSelector'] === 'metadata.name=node-1'

test('the node is followed only while its machine is waited for after a reboot', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const requests: TransportRequest[] = []
  const shutdowns = { completeAfterReboot: true, drainPlan: [] }
  const { manager } = await ground.open({ wrap: noting(requests), shutdowns })
  await ground.until(manager.ready())
  const agent = new PlayedAgent(ground, 'node-1')
  await agent.goesDown({ id: 'first' })
  await ground.pass(10_000)
  expect(await agent.mayGo()).toBe('first')
  expect(requests.filter(ofNode)).toEqual([])
  await agent.boots('boot-2', 'late')
  await ground.pass(10_000)
  expect(requests.filter(ofNode).length).toBeGreaterThan(0)
  await agent.kubeletSays('boot-2')
  await ground.pass(10_000)
  const { spec } = await ground.until(ground.admin.get(nodeMaintenances, { name: 'shutdown-node-1' }))
  expect(spec.stage).toBe('Complete')
  requests.length = 0
  await ground.pass(700_000)
  expect(requests.filter(ofNode)).toEqual([])
})

test('an agent speaks for its own node alone, and what cannot be read means nothing', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  const agent = new PlayedAgent(ground, 'node-1')
  await agent.staysUp()
  const shutdown = {
    mode: 'Prefer',
    budgetSeconds: 30,
    problems: [],
    going: { id: 'a', phase: 'Signalled', action: '' },
  }
  const forged = JSON.stringify({ node: 'node-2', pod: { name: 'agent', uid: 'u' }, bootID: 'b', shutdown })
  for (const report of [forged, '{']) {
    const body = { metadata: { annotations: { [annotations.agentReport]: report } } }
    const key = { namespace: installation.namespace, name: 'lifeboat-agent-node-1' }
    await ground.until(ground.admin.patch(leases, key, { type: 'merge', body }))
    await ground.pass(10_000)
    expect((await ground.until(ground.admin.list(nodeMaintenances))).items).toEqual([])
  }
})
