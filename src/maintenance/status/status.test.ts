import { describe, expect, test } from 'vitest'
import { newNodeMaintenanceStatus, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { validateNodeMaintenance } from '../../api/schema/validate-node-maintenance.ts'
import type { MaintenanceOutcome, NodeOutcome } from '../plan/plan.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { activeStatus, completedStatus, completingStatus, idleStatus, isSameStatus } from './status.ts'
import type { Targets } from '../plan/targets.ts'

const nowMs = Date.parse('2026-01-01T00:00:00Z')
const targets: Targets = [{ podPriority: 5, podType: 'Default' }]

const maintenance = (stage: NodeMaintenance['spec']['stage'], status?: NodeMaintenance['status']): NodeMaintenance => ({
  metadata: storedMeta({ name: 'm', generation: 3 }),
  spec: { stage, nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] } },
  ...(status === undefined ? {} : { status }),
})
const outcome: MaintenanceOutcome = {
  reached: targets,
  message: 'Evacuating',
  isDrained: false,
  nodesTotal: 3,
  nodesDrained: 1,
  pending: 7,
  evacuating: 2,
  staying: {},
  forwardedBy: [],
}
const nodeOutcome = (name: string, pending: number, reached: Targets = targets): NodeOutcome =>
  ({
    targets: reached,
    message: 'Evacuating',
    isDrained: false,
    tally: { node: { name }, pending, evacuating: 1 },
  }) as unknown as NodeOutcome

describe('while it drains', () => {
  const view = {
    maintenance: maintenance('Drain'),
    nodesTotal: 3,
    outcome,
    nodes: [nodeOutcome('one', 2), nodeOutcome('two', 5)],
  }

  test('the totals, the nodes with the most left first, and the condition', () => {
    expect(activeStatus(view, nowMs)).toEqual({
      stageStatuses: [{ name: 'Drain', startTimestamp: '2026-01-01T00:00:00Z' }],
      drainStatus: {
        reachedDrainTargets: targets,
        drainMessage: 'Evacuating',
        nodesTotal: 3,
        nodesDrained: 1,
        podsPendingEvacuation: 7,
        podsEvacuating: 2,
      },
      nodeStatuses: [
        {
          nodeRef: { name: 'two' },
          drainTargets: targets,
          drainMessage: 'Evacuating',
          podsPendingEvacuation: 5,
          podsEvacuating: 1,
        },
        {
          nodeRef: { name: 'one' },
          drainTargets: targets,
          drainMessage: 'Evacuating',
          podsPendingEvacuation: 2,
          podsEvacuating: 1,
        },
      ],
      conditions: [
        {
          type: 'Drained',
          status: 'False',
          reason: 'Evacuating',
          message: '1 of 3 nodes are drained',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    })
  })

  test.each([
    {
      name: 'drained',
      given: { ...outcome, isDrained: true, message: 'Drained (1 static pod stays)' },
      expected: { status: 'True', reason: 'Drained', message: 'Drained (1 static pod stays)' },
    },
    {
      name: 'waiting',
      given: { ...outcome, message: 'Waiting for a.' },
      expected: { status: 'False', reason: 'Waiting' },
    },
  ])('the condition when it is $name', ({ given, expected }) => {
    expect(activeStatus({ ...view, outcome: given }, nowMs).conditions).toMatchObject([expected])
  })

  test('without nodes there is nothing to drain, and it says so', () => {
    expect(activeStatus({ ...view, nodesTotal: 0, outcome: undefined, nodes: [] }, nowMs)).toMatchObject({
      drainStatus: { drainMessage: 'No node is selected', nodesTotal: 0 },
      conditions: [{ type: 'Drained', status: 'True', reason: 'NoNodes' }],
    })
  })

  test('while pods are not known only the stage is noted', () => {
    expect(activeStatus({ ...view, outcome: undefined, nodes: [] }, nowMs)).toEqual({
      ...newNodeMaintenanceStatus,
      stageStatuses: [{ name: 'Drain', startTimestamp: '2026-01-01T00:00:00Z' }],
    })
  })

  test('a maintenance of a thousand nodes with long plans stays small, and the schema takes it', () => {
    const long = Array.from({ length: 200 }, (_, index) => ({
      podPriority: index,
      podType: 'Default' as const,
      podSelector: { matchLabels: { app: `a-rather-long-name-of-an-application-${index}` } },
    }))
    for (const reached of [targets, long]) {
      const nodes = Array.from({ length: 1_000 }, (_, index) =>
        nodeOutcome(`node-${index}.example.com`, index, reached),
      )
      const status = activeStatus({ ...view, nodes }, nowMs)
      expect(JSON.stringify(status).length).toBeLessThan(200 * 1_024)
      expect(status.nodeStatuses?.[0]?.nodeRef.name).toBe('node-999.example.com')
      expect(
        validateNodeMaintenance({
          apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
          kind: 'NodeMaintenance',
          ...maintenance('Drain', status),
        }),
      ).toEqual([])
    }
    expect(activeStatus({ ...view, nodes: [nodeOutcome('a', 1)] }, nowMs).nodeStatuses).toHaveLength(1)
  })
})

test('planned or cordoned it says how many nodes it selects', () => {
  const view = { maintenance: maintenance('Idle'), nodesTotal: 4, outcome: undefined, nodes: [] }
  expect(idleStatus(view, nowMs)).toMatchObject({ stageStatuses: [{ name: 'Idle' }], drainStatus: { nodesTotal: 4 } })
  expect(activeStatus({ ...view, maintenance: maintenance('Cordon') }, nowMs)).toMatchObject({
    stageStatuses: [{ name: 'Cordon' }],
    drainStatus: { nodesTotal: 4 },
  })
})

test('on completion what the drain came to stays to be read, apart from the pods that are left', () => {
  const drained = activeStatus({ maintenance: maintenance('Drain'), nodesTotal: 3, outcome, nodes: [] }, nowMs)
  const view = { maintenance: maintenance('Complete', drained), nodesTotal: 3, outcome: undefined, nodes: [] }
  const completing = completingStatus(view, nowMs)
  expect(completing).toEqual({
    ...drained,
    stageStatuses: [
      { name: 'Drain', startTimestamp: '2026-01-01T00:00:00Z' },
      { name: 'Complete', startTimestamp: '2026-01-01T00:00:00Z' },
    ],
  })
  const completed = completedStatus({ ...view, maintenance: maintenance('Complete', completing) }, nowMs)
  expect(completed).toMatchObject({
    drainStatus: { nodesDrained: 1, podsPendingEvacuation: 0, podsEvacuating: 0, drainMessage: '' },
    conditions: [
      { type: 'Completed', status: 'True' },
      { type: 'Drained', status: 'False' },
    ],
  })
})

test('two that say the same are the same, in whatever order they say it', () => {
  const one = { drainStatus: { ...newNodeMaintenanceStatus.drainStatus }, nodeStatuses: [] }
  const reversed = Object.fromEntries(Object.entries(newNodeMaintenanceStatus.drainStatus).toReversed())
  expect(isSameStatus({ drainStatus: reversed as never }, one)).toBe(true)
  expect(isSameStatus(undefined, one)).toBe(false)
  expect(isSameStatus({ ...one, drainStatus: { ...one.drainStatus, nodesTotal: 1 } }, one)).toBe(false)
})
