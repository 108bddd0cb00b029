import { expect, test } from 'vitest'
import type { Node } from '../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import { stored } from '../../test/build/stored.ts'
import {
  completed,
  cordonReverted,
  drained,
  evacuationRefused,
  fastForwarded,
  nodeCordoned,
  nodeGivenBack,
  stageStarted,
} from './events.ts'

const maintenance: NodeMaintenance = {
  metadata: { name: 'upgrade', uid: 'm', resourceVersion: '7' },
  spec: { stage: 'Drain', reason: 'OS upgrade', nodeSelector: { nodeSelectorTerms: [] } },
}
const node = stored<Node>({ metadata: { name: 'one', uid: 'n' } })
const aboutMaintenance = {
  apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
  kind: 'NodeMaintenance',
  metadata: { name: 'upgrade', uid: 'm' },
}
const aboutNode = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one', uid: 'n' } }

test.each([
  { event: stageStarted(maintenance, 'Drain'), reason: 'DrainStarted', note: 'The selected nodes are drained' },
  {
    event: fastForwarded(maintenance, ['a', 'b']),
    reason: 'FastForwarded',
    note: 'Fast-forwarded: a, b are older and further on nodes that both select, so some pods leave before the turn that this drainPlan gives them',
  },
  { event: drained(maintenance, 'Drained'), reason: 'Drained', note: 'Drained' },
  { event: completed(maintenance), reason: 'Completed', note: 'The nodes are given back' },
  {
    event: evacuationRefused(maintenance, 'shop/web', 'no'),
    reason: 'EvacuationRefused',
    note: 'Cannot ask for the evacuation of pod shop/web: no',
  },
])('a maintenance: $reason', ({ event, reason, note }) => {
  expect(event).toMatchObject({ about: aboutMaintenance, reason, note })
})

test.each([
  {
    event: nodeCordoned(node, maintenance),
    reason: 'MaintenanceStarted',
    note: 'Made unschedulable for maintenance upgrade (OS upgrade)',
  },
  {
    event: nodeGivenBack(node, true),
    reason: 'MaintenanceEnded',
    note: 'The maintenance is over and the node schedulable again',
  },
  {
    event: nodeGivenBack(node, false),
    reason: 'MaintenanceEnded',
    note: 'The maintenance is over; the node was unschedulable before and stays so',
  },
])('a node: $note', ({ event, reason, note }) => {
  expect(event).toEqual({ about: aboutNode, type: 'Normal', reason, note })
})

test('a cordon that somebody takes off is told to both', () => {
  const unexplained = { ...maintenance, spec: { ...maintenance.spec, reason: '' } }
  expect(cordonReverted(node, unexplained)).toEqual([
    {
      about: aboutNode,
      type: 'Warning',
      reason: 'CordonReverted',
      note: 'The node was made schedulable during maintenance upgrade; it was cordoned again: complete the maintenance to keep it so',
    },
    {
      about: aboutMaintenance,
      type: 'Warning',
      reason: 'CordonReverted',
      note: 'Node one was made schedulable; it was cordoned again: complete the maintenance to keep it so',
    },
  ])
})
