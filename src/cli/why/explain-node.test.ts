import { expect, test } from 'vitest'
import { maintenanceStatusAnnotation, maintenanceOf, nodeOf } from '../../../test/build/why-view.ts'
import type { NodeMaintenance } from '../../api/node-maintenance.ts'
import { explainNode, factsOf } from './explain-node.ts'
import type { NodeState } from './report.ts'

const empty = maintenanceStatusAnnotation({ drainMessage: 'Drained' })
const busy = maintenanceStatusAnnotation({ podsEvacuating: 2, drainMessage: 'Evacuating (limited by new-disks)' })
const completed = [
  { type: 'Completed', status: 'True' as const, reason: 'Completed', message: '', lastTransitionTime: '' },
]

interface Row {
  readonly name: string
  readonly maintenances: readonly NodeMaintenance[]
  readonly annotations?: Record<string, string>
  readonly state: NodeState
  readonly message: string
  readonly commands: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'no maintenance',
    maintenances: [],
    state: 'Untouched',
    message: 'nothing drains six',
    commands: ['lifeboat drain six'],
  },
  {
    name: 'a maintenance of another node',
    maintenances: [maintenanceOf({ node: 'seven' })],
    state: 'Untouched',
    message: 'nothing drains six',
    commands: ['lifeboat drain six'],
  },
  {
    name: 'a maintenance that is over',
    maintenances: [maintenanceOf({ stage: 'Complete', conditions: completed })],
    state: 'Untouched',
    message: 'nothing drains six',
    commands: ['lifeboat drain six'],
  },
  {
    name: 'one that is announced',
    maintenances: [maintenanceOf({ stage: 'Idle' })],
    state: 'Announced',
    message: 'os-upgrade announces a maintenance of six and has not begun',
    commands: ['lifeboat drain six'],
  },
  {
    name: 'one that cordons, with its reason',
    maintenances: [maintenanceOf({ stage: 'Cordon', reason: 'OS upgrade' })],
    state: 'Cordoned',
    message: 'six is cordoned by os-upgrade (OS upgrade), and nothing drains it',
    commands: ['lifeboat drain six'],
  },
  {
    name: 'a drain that nobody has begun',
    maintenances: [maintenanceOf()],
    state: 'Draining',
    message: 'six is to be drained by os-upgrade, and Lifeboat has not looked at it yet',
    commands: ['lifeboat status six'],
  },
  {
    name: 'a drain under way, of two maintenances, oldest first',
    maintenances: [maintenanceOf({ name: 'new-disks', createdAt: '2026-08-01T11:00:00Z' }), maintenanceOf()],
    annotations: busy,
    state: 'Draining',
    message: 'six is being drained by os-upgrade, new-disks: Evacuating (limited by new-disks)',
    commands: ['lifeboat status six'],
  },
  {
    name: 'a drain that is done',
    maintenances: [maintenanceOf()],
    annotations: empty,
    state: 'Drained',
    message: 'six is drained by os-upgrade: Drained',
    commands: ['lifeboat complete os-upgrade'],
  },
  {
    name: 'an annotation that cannot be read is as none',
    maintenances: [maintenanceOf()],
    annotations: { 'nodemaintenance.k8s.io/maintenance-status': '{' },
    state: 'Draining',
    message: 'six is to be drained by os-upgrade, and Lifeboat has not looked at it yet',
    commands: ['lifeboat status six'],
  },
  {
    name: 'a maintenance that was deleted gives the node back',
    maintenances: [maintenanceOf({ deletedAt: '2026-08-01T11:30:00Z' })],
    annotations: busy,
    state: 'Returning',
    message: 'six is being given back by os-upgrade',
    commands: ['lifeboat status six'],
  },
]

test.each(rows)('$name', ({ maintenances, annotations, state, message, commands }) => {
  const facts = factsOf({ about: 'node', node: nodeOf(annotations), pods: [], evacuations: [], maintenances })
  const report = facts === undefined ? undefined : explainNode(facts)
  expect(report).toMatchObject({ name: 'six', state, message, commands })
})

test('without a node there is nothing to say about it', () => {
  expect(factsOf({ about: 'pod', node: undefined, pods: [], evacuations: [], maintenances: [] })).toBeUndefined()
})
