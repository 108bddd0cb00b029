import { expect, test } from 'vitest'
import { defaultEvictor, limitedBy } from '../../../test/build/descheduler-evictor.ts'
import {
  nodeView,
  nowMs,
  podView,
  runPlugin,
  type NodeChoices,
  type PodChoices,
} from '../../../test/build/descheduler-view.ts'
import {
  defaultProtections,
  type DefaultEvictorArgs,
  type Limits,
  type RemoveFailedPodsArgs,
} from '../policy/policy.ts'
import { removeFailedPods } from './remove-failed-pods.ts'

interface Row {
  readonly name: string
  readonly args?: Partial<RemoveFailedPodsArgs>
  readonly pods: readonly Partial<PodChoices>[]
  readonly nodes?: readonly NodeChoices[]
  readonly evictor?: Partial<DefaultEvictorArgs>
  readonly limits?: Partial<Limits>
  /** Names of those that leave: p1 is the first. */
  readonly expected: readonly string[]
}

const affinity = { containers: [{ terminatedReason: 'NodeAffinity' }] }
const misconfigured = { containers: [{ terminatedReason: 'CreateContainerConfigError' }] }
const initWaits = { initContainers: [{ waitingReason: 'CreateContainerConfigError' }] }
const initEnded = { initContainers: [{ terminatedReason: 'NodeAffinity' }] }
const configReason = { reasons: ['CreateContainerConfigError'] }
const job = { owners: [{ kind: 'Job', name: 'job', uid: 'job-uid' }] }
const hourAgo = { createdMs: nowMs - 3_600_000 }
const nodeFit = { nodeFit: true }

const rows: readonly Row[] = [
  { name: 'no pods', pods: [], expected: [] },
  { name: 'a pod that runs', pods: [{ phase: 'Running' }], expected: [] },
  { name: 'a pod that has succeeded', pods: [{ phase: 'Succeeded' }], expected: [] },
  { name: 'a failed pod', pods: [{}], expected: ['p1'] },
  { name: 'a failed pod, whatever the reason', pods: [affinity], expected: ['p1'] },
  { name: 'a failed pod, whatever its init container', pods: [initEnded], expected: ['p1'] },
  {
    name: 'failed pods of two nodes',
    args: { includingInitContainers: true },
    pods: [initWaits, { ...initWaits, nodeName: 'n2' }],
    expected: ['p1', 'p2'],
  },
  { name: 'a container ended for the reason', args: configReason, pods: [misconfigured], expected: ['p1'] },
  {
    name: 'a container waits for the reason',
    args: configReason,
    pods: [{ containers: [{ waitingReason: 'CreateContainerConfigError' }] }],
    expected: ['p1'],
  },
  {
    name: 'a container ended for one of the reasons',
    args: { reasons: ['CreateContainerConfigError', 'NodeAffinity'] },
    pods: [misconfigured],
    expected: ['p1'],
  },
  { name: 'a container ended for another reason', args: configReason, pods: [affinity], expected: [] },
  {
    name: 'an init container waits for the reason, and those do not count',
    args: configReason,
    pods: [initWaits],
    expected: [],
  },
  {
    name: 'an init container waits for the reason, and those count',
    args: { ...configReason, includingInitContainers: true },
    pods: [initWaits],
    expected: ['p1'],
  },
  {
    name: 'two pods failed for the reason, one for another',
    args: { reasons: ['Shutdown'] },
    pods: [{ reason: 'Shutdown' }, { reason: 'Shutdown' }, { reason: 'Evicted' }],
    expected: ['p1', 'p2'],
  },
  {
    name: 'a pod that runs has the reason',
    args: { reasons: ['Shutdown'] },
    pods: [{ phase: 'Running', reason: 'Shutdown' }],
    expected: [],
  },
  {
    name: 'it is younger than it must be',
    args: { minPodLifetimeSeconds: 3_600 },
    pods: [{ createdMs: nowMs }],
    expected: [],
  },
  {
    name: 'it is as old as it must be, to the second',
    args: { minPodLifetimeSeconds: 3_600 },
    pods: [hourAgo, { createdMs: nowMs - 3_599_999 }],
    expected: ['p1'],
  },
  { name: 'it was created in the future', pods: [{ createdMs: nowMs + 1 }], expected: [] },
  {
    name: 'the only other node is cordoned',
    evictor: nodeFit,
    pods: [affinity],
    nodes: [{ name: 'n1' }, { name: 'n2', isCordoned: true }],
    expected: [],
  },
  {
    name: 'the only other node has no room',
    evictor: nodeFit,
    args: configReason,
    pods: [{ ...misconfigured, requests: { cpu: '1m' } }],
    nodes: [{ name: 'n1' }, { name: 'n2', allocatable: { cpu: 0 } }],
    expected: [],
  },
  { name: 'there is no other node', evictor: nodeFit, pods: [{}], nodes: [{ name: 'n1' }], expected: [] },
  {
    name: 'its owner is of an excluded kind',
    args: { excludeOwnerKinds: ['ReplicaSet'] },
    pods: [{}, job],
    expected: ['p2'],
  },
  { name: 'its owner is of another kind', args: { excludeOwnerKinds: ['DaemonSet'] }, pods: [{}], expected: ['p1'] },
  {
    name: 'it is being deleted',
    args: { excludeOwnerKinds: ['DaemonSet'] },
    pods: [{ isTerminating: true }],
    expected: [],
  },
  { name: 'it has no owner', pods: [{ owners: [] }], expected: [] },
  {
    name: 'it has no owner, and failed bare pods are not protected',
    evictor: { protections: new Set(defaultProtections).difference(new Set(['FailedBarePods'])) },
    pods: [{ owners: [] }],
    expected: ['p1'],
  },
  {
    name: 'a container ended with the code',
    args: { exitCodes: [1] },
    pods: [{ containers: [{ exitCode: 1 }] }],
    expected: ['p1'],
  },
  {
    name: 'a container ended with another code',
    args: { exitCodes: [1] },
    pods: [{ containers: [{ exitCode: 2 }] }],
    expected: [],
  },
  {
    name: 'an init container ended with the code, and those do not count',
    args: { exitCodes: [1] },
    pods: [{ initContainers: [{ exitCode: 1 }] }],
    expected: [],
  },
  {
    name: 'an init container ended with the code, and those count',
    args: { exitCodes: [1], includingInitContainers: true },
    pods: [{ initContainers: [{ exitCode: 1 }] }],
    expected: ['p1'],
  },
  {
    name: 'reason and code must both match',
    args: { reasons: ['Error'], exitCodes: [1] },
    pods: [
      { containers: [{ terminatedReason: 'Error', exitCode: 2 }] },
      { containers: [{ terminatedReason: 'Error', exitCode: 1 }] },
    ],
    expected: ['p2'],
  },
  {
    name: 'namespaces and labels select',
    args: { namespaces: { exclude: ['shop'] }, labelSelector: { matchLabels: { app: 'web' } } },
    pods: [{ labels: { app: 'web' } }, { labels: { app: 'web' }, namespace: 'shop' }, {}],
    expected: ['p1'],
  },
  { name: 'the limit of a node', limits: { perNode: 1 }, pods: [{}, {}, { nodeName: 'n2' }], expected: ['p1', 'p3'] },
  { name: 'the total limit', limits: { total: 1 }, pods: [{}, {}, { nodeName: 'n2' }], expected: ['p1'] },
]

test.each(rows)('$name', ({ args, pods, nodes = [{ name: 'n1' }, { name: 'n2' }], evictor, limits = {}, expected }) => {
  const world = {
    nodes: nodes.map(nodeView),
    pods: pods.map((choices, index) => podView({ name: `p${index + 1}`, phase: 'Failed', ...choices })),
    evictor: defaultEvictor(evictor),
    outcomeOf: limitedBy(limits),
  }
  expect(runPlugin(removeFailedPods, { minPodLifetimeSeconds: 0, ...args }, world)).toEqual(expected)
})

test('who is leaving already is named first', () => {
  const pods = ['a', 'b'].map((name) => podView({ name, phase: 'Failed' }))
  const rankOf = ({ name }: { name: string }) => (name === 'b' ? 0 : 1)
  const world = { nodes: [nodeView({ name: 'n1' })], pods, rankOf }
  expect(runPlugin(removeFailedPods, { minPodLifetimeSeconds: 0 }, world)).toEqual(['b', 'a'])
})
