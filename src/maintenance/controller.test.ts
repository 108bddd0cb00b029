import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../test/build/lifeboat.ts'
import { getMaintenance, maintain, nodeState, noting, selectNodes, setStage } from '../../test/build/maintenance.ts'
import type { TransportRequest } from '../kube/client/transport.ts'

const isPods = ({ path }: TransportRequest) => path.endsWith('/pods')

test('idle it watches maintenances and nodes, and no pods; drained nodes are watched until they are given back', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  const requests: TransportRequest[] = []
  const { manager } = await ground.open({ wrap: noting(requests) })
  await ground.until(manager.ready())
  await ground.pass(5_000)
  const podSelections = () => [
    ...new Set(requests.filter(isPods).map(({ query }) => query?.['fieldSelector'] ?? query?.['labelSelector'])),
  ]
  expect(podSelections()).toEqual(['evacuation.coordination.k8s.io/released', 'nodemaintenance.k8s.io/held'])
  await maintain(ground, 'upgrade', selectNodes('node-2'))
  await ground.pass(5_000)
  expect(podSelections()).toEqual([
    'evacuation.coordination.k8s.io/released',
    'nodemaintenance.k8s.io/held',
    'spec.nodeName=node-2',
  ])
  await setStage(ground, 'upgrade', 'Complete')
  await ground.pass(5_000)
  requests.length = 0
  await ground.pass(700_000)
  expect(podSelections()).toEqual(['evacuation.coordination.k8s.io/released', 'nodemaintenance.k8s.io/held'])
  // Without anything to do only watches are renewed, and the Lease.
  expect(requests.filter(({ path, method }) => method !== 'GET' && !path.includes('/leases'))).toEqual([])
})

test('a maintenance goes through all of its stages', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  const { manager } = await ground.open()
  await ground.until(manager.ready())
  for (const name of ['a', 'b', 'c']) await ground.createPod(name)
  await maintain(ground, 'upgrade', selectNodes('node-1'), { stage: 'Idle', reason: 'OS upgrade' })
  await ground.pass(2_000)
  expect(await nodeState(ground, 'node-1')).toBe('schedulable')
  expect((await getMaintenance(ground, 'upgrade')).status?.drainStatus.nodesTotal).toBe(1)
  await setStage(ground, 'upgrade', 'Cordon')
  await ground.pass(2_000)
  expect(await nodeState(ground, 'node-1')).toBe('cordoned cordoned maintenance-status')
  expect(ground.podNames()).toEqual(['a', 'b', 'c'])
  await setStage(ground, 'upgrade', 'Drain')
  await ground.pass(40_000)
  expect(ground.podNames()).toEqual(['b'])
  const drained = await getMaintenance(ground, 'upgrade')
  expect(drained.status).toMatchObject({
    drainStatus: {
      drainMessage: 'Drained',
      nodesTotal: 1,
      nodesDrained: 1,
      podsPendingEvacuation: 0,
      podsEvacuating: 0,
    },
    conditions: [{ type: 'Drained', status: 'True' }],
  })
  expect(drained.metadata.finalizers).toEqual(['nodemaintenance.k8s.io/maintenance-completion'])
  await setStage(ground, 'upgrade', 'Complete')
  await ground.pass(5_000)
  expect(await nodeState(ground, 'node-1')).toBe('schedulable')
  const { metadata, status } = await getMaintenance(ground, 'upgrade')
  expect(metadata.finalizers ?? []).toEqual([])
  expect(status?.stageStatuses?.map(({ name }) => name)).toEqual(['Idle', 'Cordon', 'Drain', 'Complete'])
})
