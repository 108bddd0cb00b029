import { expect, test } from 'vitest'
import { maintenanceStatusAnnotation, maintenanceOf, nodeOf } from '../../../test/build/why-view.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { explainNode, factsOf } from './explain-node.ts'
import type { NodeState, PodReport } from './report.ts'

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

test.each([
  { status: 'True' as const, expected: undefined },
  { status: 'Unknown' as const, expected: { nodeReady: 'Unknown', since: '2026-01-01T00:00:00Z' } },
  { status: 'False' as const, expected: { nodeReady: 'False', since: '2026-01-01T00:00:00Z' } },
])('whether it reports: Ready is $status', ({ status, expected }) => {
  const conditions = [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }]
  const node = { ...nodeOf(), status: { conditions } }
  const facts = factsOf({ about: 'node', node, pods: [], evacuations: [], maintenances: [] })
  expect(facts === undefined ? undefined : explainNode(facts).silence).toEqual(expected)
})

test('without a node there is nothing to say about it', () => {
  expect(factsOf({ about: 'pod', node: undefined, pods: [], evacuations: [], maintenances: [] })).toBeUndefined()
})

const leavingPod = (askedForBy: readonly string[], blockedBy?: PodReport['blockedBy']): PodReport => ({
  namespace: 'shop',
  name: 'web-0',
  uid: 'uid-0',
  nodeName: 'six',
  phase: 'Blocked',
  reason: 'Busy',
  message: 'waits',
  next: '',
  commands: [],
  askedForBy,
  ...(blockedBy === undefined ? {} : { blockedBy }),
})
const kubernetes = 'taint-eviction.evacuation.coordination.k8s.io'
const takeover = { kind: 'controllerTakeover', waitedSeconds: 0, timeoutSeconds: 60 } as const

test.each<{ name: string; leaving: readonly PodReport[]; message: string }>([
  {
    name: 'one controller is asked',
    leaving: [leavingPod([kubernetes], takeover), leavingPod([kubernetes])],
    message: 'pods leave it because it is not ready: the controller of 1 pod is asked to take it away',
  },
  {
    name: 'more are asked',
    leaving: [leavingPod([kubernetes], takeover), leavingPod([kubernetes], takeover)],
    message: 'pods leave it because it is not ready: the controllers of 2 pods are asked to take them away',
  },
  {
    name: 'all have acted',
    leaving: [leavingPod([kubernetes])],
    message: 'pods leave it because it is not ready',
  },
  {
    name: 'others ask too',
    leaving: [leavingPod([kubernetes], takeover), leavingPod([kubernetes, 'drill.example.com'], takeover)],
    message: 'pods leave it because others asked for it',
  },
])('pods leave a node that nobody drains: $name', ({ leaving, message }) => {
  const facts = factsOf({ about: 'node', node: nodeOf(), pods: [], evacuations: [], maintenances: [] })
  const report = facts === undefined ? undefined : explainNode(facts, leaving)
  expect(report?.message).toBe(`no maintenance drains six; ${message}`)
})
