import { describe, expect, test } from 'vitest'
import { buildWorkloadReader, buildWorkloadWorld } from '../../../test/build/workload-world.ts'
import { buildMailbox, renderWanted, wantedOf, type StaticPodsReport } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import type { WorkloadTurn } from '../workload/workload-evacuator.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { staticPod, type Situation } from './static-pod.ts'

const evacuator = staticPod('lifeboat-system')
const nowMs = Date.parse('2026-01-01T00:10:00Z')
const since = '2026-01-01T00:09:00Z'
const key = 'kube-system/proxy-six'
const pod: Pod = {
  metadata: {
    namespace: 'kube-system',
    name: 'proxy-six',
    uid: 'u',
    resourceVersion: '1',
    annotations: { [annotations.mirrorPod]: 'hash', [annotations.podSource]: 'file' },
  },
  spec: { nodeName: 'six', terminationGracePeriodSeconds: 60, containers: [] },
}
const ref = { namespace: 'kube-system', name: 'proxy-six', uid: 'u' }
const nodeOf = (drainTargets?: readonly object[]): Node => ({
  metadata: storedMeta({
    name: 'six',
    annotations:
      drainTargets === undefined
        ? {}
        : { [annotations.maintenanceStatus]: JSON.stringify({ drainTargets, reason: 'OS upgrade' }) },
  }),
})
const draining = nodeOf([{ podPriority: 7_000, podType: 'Static' }])
const agent: Pod = {
  metadata: storedMeta({ namespace: 'lifeboat-system', name: 'agent-x', uid: 'a' }),
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
}

interface BoxChoices extends Partial<StaticPodsReport> {
  readonly wanted?: boolean
  readonly onlyShutdown?: boolean
}

function boxOf({ wanted = false, onlyShutdown = false, ...more }: BoxChoices = {}): Lease {
  const staticPods = { folder: '/manifests', parked: [], superseded: [], problems: [], ...more }
  const report = { node: 'six', pod: { name: 'agent-x', uid: 'a' }, bootID: 'b' }
  const box = stored<Lease>(buildMailbox('lifeboat-system', onlyShutdown ? report : { ...report, staticPods }))
  if (!wanted) return box
  const text = renderWanted({ park: [{ pod: key, since }] })
  return {
    ...box,
    metadata: { ...box.metadata, annotations: { ...box.metadata.annotations, [annotations.agentWanted]: text } },
  }
}

/** The pod of the agent, not ready for this reason. */
function withContainers(reason: string | undefined, containers: Readonly<Record<string, boolean>>): Pod {
  const condition = { type: 'Ready', status: 'False', ...(reason === undefined ? {} : { reason }) } as const
  const containerStatuses = Object.entries(containers).map(([name, ready]) => ({ name, ready, restartCount: 1 }))
  return { ...agent, status: { phase: 'Running', conditions: [condition], containerStatuses } }
}

describe('claim', () => {
  const registered = { evacuatorClass: 'kubelet.k8s.io', priority: 10_000, role: 'controller' }
  test.each([
    { name: 'a static pod where an agent is', of: pod, boxes: [boxOf()], expected: registered },
    { name: 'a static pod where none is', of: pod, boxes: [], expected: undefined },
    {
      name: 'a static pod whose agent does not look after it',
      of: pod,
      boxes: [boxOf({ onlyShutdown: true })],
      expected: undefined,
    },
    {
      name: 'another pod',
      of: { ...pod, metadata: { ...pod.metadata, annotations: {} } },
      boxes: [boxOf()],
      expected: undefined,
    },
  ])('$name', async ({ of, boxes, expected }) => {
    expect(await evacuator.claim(of, buildWorkloadReader([[leases, ...boxes]]))).toEqual(expected)
  })
})

async function viewed(node: Node, box: Lease | undefined, more: { pod?: Pod; around?: readonly Pod[] } = {}) {
  const { pod: of = pod, around = [agent] } = more
  const boxes = box === undefined ? [] : [box]
  const world = buildWorkloadWorld('kube-system', [
    [nodes, node],
    [leases, ...boxes],
    [pods, ...around],
  ])
  const evacuation = { metadata: {}, spec: { podRef: { name: 'proxy-six', uid: 'u' } } }
  const turn = { evacuation, pod: of, nowMs, signal: new AbortController().signal } as unknown as WorkloadTurn
  return evacuator.gather(turn, world)
}

describe('looks', () => {
  test.each([
    {
      name: 'at no mailbox before its turn',
      node: nodeOf(),
      box: boxOf(),
      expected: { kind: 'stays', standing: { kind: 'notUnderMaintenance' } },
    },
    { name: 'for an agent', node: draining, box: undefined, expected: { kind: 'noMailbox' } },
    {
      name: 'for an agent of static pods',
      node: draining,
      box: boxOf({ onlyShutdown: true }),
      expected: { kind: 'noMailbox' },
    },
    {
      name: 'whether the agent runs',
      node: draining,
      box: boxOf(),
      expected: { kind: 'leaves', isAgentRunning: true, peers: undefined },
    },
    {
      name: 'whether another runs in its place',
      node: draining,
      box: boxOf(),
      around: [{ ...agent, metadata: { ...agent.metadata, uid: 'other' } }],
      expected: { kind: 'leaves', isAgentRunning: false },
    },
    {
      name: 'whether it is ready',
      node: draining,
      box: boxOf(),
      around: [{ metadata: agent.metadata }],
      expected: { kind: 'leaves', isAgentRunning: false },
    },
    {
      name: 'whether only the lock beside it is down',
      node: draining,
      box: boxOf(),
      around: [withContainers('ContainersNotReady', { agent: true, lock: false })],
      expected: { kind: 'leaves', isAgentRunning: true },
    },
    {
      name: 'whether it is down itself',
      node: draining,
      box: boxOf(),
      around: [withContainers('ContainersNotReady', { agent: false, lock: true })],
      expected: { kind: 'leaves', isAgentRunning: false },
    },
    {
      name: 'whether its node is gone, which leaves containers as they were',
      node: draining,
      box: boxOf(),
      around: [withContainers(undefined, { agent: true, lock: true })],
      expected: { kind: 'leaves', isAgentRunning: false },
    },
    {
      name: 'whether it is about to end',
      node: draining,
      box: boxOf(),
      around: [{ ...agent, metadata: { ...agent.metadata, deletionTimestamp: since } }],
      expected: { kind: 'leaves', isAgentRunning: false },
    },
  ])('$name', async ({ node, box, around, expected }) => {
    const { situation } = await viewed(node, box, around === undefined ? {} : { around })
    expect(situation).toMatchObject(expected)
  })

  test('at the others of a control plane, and only before it has asked', async () => {
    const server = { ...pod, metadata: { ...pod.metadata, name: 'kube-apiserver-six' } }
    const asking = await viewed(draining, boxOf(), { pod: server })
    expect(asking.situation).toMatchObject({ peers: { component: 'kube-apiserver', healthy: 0, needed: 1 } })
    const own = { ...boxOf(), metadata: { ...boxOf({ wanted: true }).metadata } }
    const asked = await viewed(draining, own, { pod })
    expect(asked.situation).toMatchObject({ peers: undefined })
  })
})

describe('step', () => {
  const leaves = (box: Lease, more: Partial<Extract<Situation, { kind: 'leaves' }>> = {}): Situation => ({
    kind: 'leaves',
    mailbox: box,
    isAgentRunning: true,
    peers: undefined,
    ...more,
  })
  const stepped = (situation: Situation, of: Pod = pod) => evacuator.step({ pod: of, node: draining, situation }, nowMs)

  test.each([
    {
      name: 'not under maintenance',
      situation: { kind: 'stays', standing: { kind: 'notUnderMaintenance' } } as Situation,
      kind: 'notUnderMaintenance',
    },
    {
      name: 'beyond the targets',
      situation: { kind: 'stays', standing: { kind: 'beyondTargets' } } as Situation,
      kind: 'beyondDrainTargets',
    },
    { name: 'no mailbox', situation: { kind: 'noMailbox' } as Situation, kind: 'noAgent' },
    { name: 'the agent does not run', situation: leaves(boxOf(), { isAgentRunning: false }), kind: 'noAgent' },
    {
      name: 'asked for, and the agent does not run',
      situation: leaves(boxOf({ wanted: true }), { isAgentRunning: false }),
      kind: 'noAgent',
    },
    {
      name: 'the last API server',
      situation: leaves(boxOf(), { peers: { component: 'kube-apiserver', healthy: 0, needed: 1 } }),
      kind: 'lastControlPlane',
    },
    {
      name: 'no manifest',
      situation: leaves(boxOf({ wanted: true, problems: [{ pod: key, kind: 'manifestNotFound', message: '/m' }] })),
      kind: 'manifestNotFound',
    },
    {
      name: 'a single file',
      situation: leaves(boxOf({ wanted: true, problems: [{ pod: key, kind: 'folderIsFile', message: '/m' }] })),
      kind: 'manifestPathIsFile',
    },
    {
      name: 'a folder that cannot be written',
      situation: leaves(boxOf({ wanted: true, problems: [{ pod: key, kind: 'failed', message: 'EROFS' }] })),
      kind: 'agentFailed',
    },
  ])('$name: waits, and says so', ({ situation, kind }) => {
    expect(stepped(situation)).toMatchObject({ kind: 'waiting', because: { kind, pod: ref, node: 'six' } })
  })

  const silent = (status: 'False' | 'Unknown') => ({
    ...draining,
    status: { conditions: [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:00:00Z' }] },
  })
  test.each([
    { name: 'the agent does not run', node: silent('Unknown'), more: { isAgentRunning: false }, kind: 'silentNode' },
    { name: 'the agent runs on a node in trouble', node: silent('False'), more: {}, kind: undefined },
    { name: 'its manifest is parked', node: silent('Unknown'), box: { parked: [key] }, more: {}, kind: 'silentNode' },
  ])('a silent node is named where it is why the pod waits: $name', ({ node, box = {}, more, kind }) => {
    const step = evacuator.step({ pod, node, situation: leaves(boxOf({ wanted: true, ...box }), more) }, nowMs)
    const because = 'because' in step ? step.because : undefined
    expect(because !== undefined && 'kind' in because ? because.kind : undefined).toBe(kind)
  })

  test('from a URL: nobody can park it', () => {
    const fromUrl = {
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [annotations.podSource]: 'http' } },
    }
    expect(stepped(leaves(boxOf()), fromUrl)).toMatchObject({ because: { kind: 'staticPodFromUrl' } })
  })

  test('the problem of another pod is not its own', () => {
    const box = boxOf({ wanted: true, problems: [{ pod: 'kube-system/other-six', kind: 'failed', message: 'x' }] })
    expect(stepped(leaves(box)).kind).toBe('working')
  })

  test('asks the agent, beside what was asked for before', () => {
    const before = boxOf()
    const text = renderWanted({ park: [{ pod: 'a/b', since }] })
    const box = {
      ...before,
      metadata: {
        ...before.metadata,
        annotations: { ...before.metadata.annotations, [annotations.agentWanted]: text },
      },
    }
    const result = stepped(leaves(box, { peers: { component: 'etcd', healthy: 2, needed: 2 } }))
    if (result.kind !== 'write' || result.write.kind !== 'patch') throw new Error(`it is ${result.kind}`)
    expect(result.write.object).toBe(box)
    const changed = result.write.change.metadata?.annotations as Record<string, string>
    const written = wantedOf({ ...box, metadata: { ...box.metadata, annotations: changed } })
    expect(written).toEqual({
      park: [
        { pod: 'a/b', since },
        { pod: key, since: '2026-01-01T00:10:00Z' },
      ],
    })
  })

  test.each([
    { name: 'asked for', box: boxOf({ wanted: true }), running: true },
    { name: 'parked, whatever became of the agent', box: boxOf({ wanted: true, parked: [key] }), running: false },
  ])('$name: works, in the words of the KEP, until the end of its grace period', ({ box, running }) => {
    expect(stepped(leaves(box, { isAgentRunning: running }))).toEqual({
      kind: 'working',
      message: 'proxy-six is terminating the pod due to node maintenance (OS upgrade).',
      expectedFinishMs: Date.parse(since) + 60_000,
    })
  })

  test('what is no static pod is left to who comes next', () => {
    expect(stepped({ kind: 'isNoStaticPod' })).toMatchObject({ kind: 'completed' })
  })
})

test('what the control plane needs goes one after the other, all else at once', () => {
  const world = buildWorkloadWorld('kube-system', [])
  expect(evacuator.workloadOf(pod, world)).toBe('u')
  expect(evacuator.workloadOf({ ...pod, metadata: { ...pod.metadata, name: 'etcd-six' } }, world)).toBe('etcd')
})
