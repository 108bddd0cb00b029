import { describe, expect, test } from 'vitest'
import type { NodeMaintenance, NodeMaintenanceStatus } from '../../api/maintenance/node-maintenance.ts'
import { newNodeMaintenanceStatus } from '../../api/maintenance/node-maintenance.ts'
import type { Stage } from '../../api/maintenance/stage.ts'
import { decideMaintenance, type MaintenanceView } from './decide.ts'

const hold = 'nodemaintenance.k8s.io/maintenance-completion'
const nowMs = Date.parse('2026-01-01T00:00:00Z')
const at = '2025-12-31T00:00:00Z'

interface Choices {
  readonly stage: Stage
  readonly finalizers?: string[]
  readonly deleted?: true
  readonly begun?: readonly Stage[]
  readonly completed?: true
  readonly nodesTotal?: number
  readonly given?: MaintenanceView['given']
}

function decided(choices: Choices) {
  const { stage, finalizers = [], deleted, begun = [], completed, nodesTotal = 0, given } = choices
  const status: NodeMaintenanceStatus = {
    ...newNodeMaintenanceStatus,
    stageStatuses: begun.map((name) => ({ name, startTimestamp: at })),
    ...(completed === undefined
      ? {}
      : {
          conditions: [{ type: 'Completed', status: 'True', reason: 'Completed', message: '', lastTransitionTime: at }],
        }),
  }
  const maintenance: NodeMaintenance = {
    metadata: { name: 'm', uid: 'u', resourceVersion: '7', finalizers, ...(deleted && { deletionTimestamp: at }) },
    spec: { stage, nodeSelector: { nodeSelectorTerms: [] } },
    status,
  }
  const view = { maintenance, nodesTotal, outcome: undefined, nodes: [], given: given ?? { marked: 0, cordoned: [] } }
  return decideMaintenance(view, nowMs)
}

const writes = (why: string, change: object) => ({
  kind: 'write',
  why,
  patch: expect.objectContaining(change) as object,
})
const metadata = (finalizers: readonly string[]) => ({ metadata: { uid: 'u', resourceVersion: '7', finalizers } })

describe.each(['Cordon', 'Drain'] as const)('in the stage %s', (stage) => {
  test('it is held before anything else, beside what others hold', () => {
    expect(decided({ stage, finalizers: ['example.com/other'] })).toEqual(
      writes('hold', metadata(['example.com/other', hold])),
    )
  })

  test('the stage is noted once', () => {
    expect(decided({ stage, finalizers: [hold], nodesTotal: 1 })).toMatchObject({
      kind: 'status',
      status: { stageStatuses: [{ name: stage, startTimestamp: '2026-01-01T00:00:00Z' }] },
    })
  })

  test('deleted, it is completed', () => {
    expect(decided({ stage, finalizers: [hold], deleted: true })).toEqual(
      writes('complete', { spec: { stage: 'Complete' } }),
    )
  })
})

describe('in the stage Idle', () => {
  test('it says how many nodes it would hold, and does not hold itself', () => {
    expect(decided({ stage: 'Idle', nodesTotal: 3 })).toMatchObject({
      kind: 'status',
      status: { stageStatuses: [{ name: 'Idle' }], drainStatus: { nodesTotal: 3 } },
    })
    expect(decided({ stage: 'Idle', begun: ['Idle'] })).toEqual({ kind: 'nothing' })
  })

  test('deleted, it is let go', () => {
    expect(decided({ stage: 'Idle', finalizers: ['example.com/other'], deleted: true })).toEqual({ kind: 'nothing' })
  })
})

describe('in the stage Complete', () => {
  const stage = 'Complete'
  const finalizers = [hold]
  const begun = ['Drain', 'Complete'] as const

  test('it is noted, and then held until it is done', () => {
    expect(decided({ stage, begun: ['Idle'] })).toMatchObject({
      kind: 'status',
      status: { stageStatuses: [{ name: 'Idle' }, { name: 'Complete' }] },
    })
    expect(decided({ stage, begun: ['Idle', 'Complete'] })).toEqual(writes('hold', metadata([hold])))
  })

  test.each([{ begun: [] }, { begun: ['Idle'] as const }])(
    'one that held nodes for so short a time that it was not noted ($begun) is not taken for one that never did',
    ({ begun: before }) => {
      const stageStatuses = [...before, 'Cordon', 'Complete'].map((name) => ({ name }))
      expect(decided({ stage, finalizers, begun: before })).toMatchObject({ kind: 'status', status: { stageStatuses } })
    },
  )

  test('a deleted one that nobody held is not held any more', () => {
    expect(decided({ stage, deleted: true })).toMatchObject({ kind: 'status' })
  })

  test('the stage is noted first', () => {
    expect(decided({ stage, finalizers, begun: ['Drain'] })).toMatchObject({
      kind: 'status',
      status: { stageStatuses: [{ name: 'Drain', startTimestamp: at }, { name: 'Complete' }] },
    })
  })

  test('it waits for its nodes to be given back', () => {
    expect(decided({ stage, finalizers, begun, given: { marked: 1, cordoned: [] } })).toEqual({ kind: 'waitForNodes' })
  })

  test('nodes that were cordoned before stay so', () => {
    const step = decided({ stage, finalizers, begun, given: { marked: 0, cordoned: ['one'] } })
    expect(step).toMatchObject({ kind: 'status', status: { conditions: [{ type: 'Completed', status: 'True' }] } })
  })

  test('straight from Idle its nodes are made schedulable, whoever cordoned them', () => {
    const given = { marked: 0, cordoned: ['one', 'two'] }
    expect(decided({ stage, finalizers, begun: ['Idle', 'Complete'], given })).toEqual({
      kind: 'makeSchedulable',
      nodes: ['one', 'two'],
    })
  })

  test('once done it is let go, and then left alone', () => {
    expect(decided({ stage, finalizers: ['example.com/other', hold], begun, completed: true })).toEqual(
      writes('letGo', metadata(['example.com/other'])),
    )
    const given = { marked: 0, cordoned: ['one'] }
    expect(decided({ stage, begun: ['Complete'], completed: true, given })).toEqual({ kind: 'nothing' })
  })
})
