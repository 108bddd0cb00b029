import { describe, expect, test } from 'vitest'
import {
  daemonSetOwner,
  evacuationOf,
  maintenanceOf,
  maintenanceStatusAnnotation,
  nodeOf,
  podOf,
} from '../../../test/build/why-view.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { factsOf } from './explain-node.ts'
import { explainGone, explainPlanned } from './explain-pod.ts'
import type { PodReport } from './report.ts'

const mirror = { annotations: { 'kubernetes.io/config.mirror': 'hash' } }
const claimedMirror = {
  annotations: { ...mirror.annotations, 'evacuation.coordination.k8s.io/priority_agent.example.com': '5000' },
}
const draining = nodeOf(maintenanceStatusAnnotation({ podsEvacuating: 1 }))
const drainTargets = [
  { podPriority: 2_147_483_647, podType: 'Default' as const },
  { podPriority: 2_147_483_647, podType: 'DaemonSet' as const },
]
const drained = nodeOf(maintenanceStatusAnnotation({ drainTargets }))
const started = { stageStatuses: [{ name: 'Drain' as const, startTimestamp: '2026-08-01T11:40:00Z' }] }
const nodeStatus = (name: string, podsEvacuating: number) => ({
  nodeRef: { name },
  drainTargets: [],
  drainMessage: '',
  podsPendingEvacuation: 0,
  podsEvacuating,
})
const busyElsewhere = maintenanceOf({
  status: { ...started, nodeStatuses: [nodeStatus('six', 1), nodeStatus('seven', 4), nodeStatus('eight', 0)] },
})

interface Row {
  readonly name: string
  readonly pod: Pod
  readonly node?: Node
  readonly maintenances?: readonly NodeMaintenance[]
  readonly expected: Partial<PodReport>
}

const rows: readonly Row[] = [
  {
    name: 'a pod within the targets is next',
    pod: podOf(),
    expected: { phase: 'Pending', reason: 'Next', commands: ['lifeboat status six'] },
  },
  {
    name: 'a DaemonSet pod comes later, and the busiest other node is where to look',
    pod: podOf(daemonSetOwner()),
    maintenances: [busyElsewhere],
    expected: {
      phase: 'Pending',
      reason: 'LaterInPlan',
      since: '2026-08-01T11:40:00Z',
      message:
        'waits for its turn in the drain plan (DaemonSet pods up to priority 1000000000); now leaving six: pods up to priority 1000000000',
      next: 'nothing to do; its turn comes when those before it have left all nodes of os-upgrade: 4 on seven, 1 on six',
      commands: ['lifeboat why seven'],
    },
  },
  {
    name: 'a pod of high priority comes later too',
    pod: podOf({}, { priority: 2_000_000_000 }),
    expected: {
      reason: 'LaterInPlan',
      message:
        'waits for its turn in the drain plan (pods up to priority 2000000000); now leaving six: pods up to priority 1000000000',
      commands: [],
    },
  },
  {
    name: 'before anybody has looked at the node nothing leaves it',
    pod: podOf(),
    node: nodeOf(),
    expected: { reason: 'LaterInPlan', message: expect.stringContaining('now leaving six: nothing yet') as string },
  },
  { name: 'a static pod stays', pod: podOf(mirror), expected: { phase: 'Staying', reason: 'Static', commands: [] } },
  {
    name: 'a static pod that an evacuator registered for leaves',
    pod: podOf(claimedMirror),
    expected: { phase: 'Pending', reason: 'LaterInPlan' },
  },
  {
    name: 'a DaemonSet pod on a drained node stays: nobody takes such pods away',
    pod: podOf(daemonSetOwner()),
    node: drained,
    expected: { phase: 'Staying', reason: 'DaemonSet' },
  },
  {
    name: 'a pod that no plan selects stays',
    pod: podOf(),
    maintenances: [{ ...maintenanceOf(), spec: { ...maintenanceOf().spec, drainPlan: [] } }],
    expected: { phase: 'Staying', reason: 'NotPlanned' },
  },
  {
    name: 'where nothing is drained a pod is not asked to leave',
    pod: podOf(),
    maintenances: [],
    expected: { phase: 'Unaffected', message: 'is not asked to leave: nothing drains six' },
  },
  {
    name: 'a pod that the scheduler has not placed says so in its words',
    pod: {
      ...podOf({}, { nodeName: '' }),
      status: { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] },
    },
    maintenances: [],
    expected: { phase: 'Unaffected', reason: 'NotScheduled', message: 'is on no node yet: 0/3 nodes are available' },
  },
  {
    name: 'a held DaemonSet pod waits for the end of the maintenance',
    pod: podOf(daemonSetOwner(), {
      schedulingGates: [{ name: 'nodemaintenance.k8s.io/maintenance' }],
    }),
    expected: {
      phase: 'Held',
      message: 'is kept off six, which is under maintenance',
      commands: ['lifeboat status six'],
    },
  },
]

describe('a pod without an Evacuation', () => {
  test.each(rows)('$name', ({ pod, node = draining, maintenances = [maintenanceOf()], expected }) => {
    const facts = factsOf({ about: 'node', node, pods: [pod], evacuations: [], maintenances })
    expect(explainPlanned(pod, facts)).toMatchObject(expected)
  })

  test('whoever may not read nodes is told so, not that all is well', () => {
    expect(explainPlanned(podOf(), undefined)).toMatchObject({
      phase: 'Unaffected',
      reason: 'Unknown',
      message: expect.stringContaining('without the right to read nodes') as string,
    })
  })
})

test.each([
  {
    name: 'held by somebody',
    finalizers: ['example.com/audit'],
    next: 'its Evacuation goes too once example.com/audit let go',
  },
  { name: 'held by nobody', finalizers: [], next: 'nothing' },
])('what is left of a pod that is gone, $name', ({ finalizers, next }) => {
  const evacuation = evacuationOf()
  const left = { ...evacuation, metadata: { ...evacuation.metadata, finalizers } }
  expect(explainGone(left)).toMatchObject({ namespace: 'shop', name: 'web-0', uid: 'uid-0', phase: 'Gone', next })
})
