import { describe, expect, test } from 'vitest'
import type { Blocker } from '../api/blocker/blocker.ts'
import { newEvacuationStatus, type Evacuation, type EvacuationStatus } from '../api/evacuation/evacuation.ts'
import type { Evacuator } from '../api/evacuation/evacuator.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import type { Claims, EvacuationView, LastEviction } from './view.ts'

const createdMs = Date.UTC(2026, 0, 1)
const minuteMs = 60_000
const deadlineMs = 30 * minuteMs
const at = (ms: number) => new Date(createdMs + ms).toISOString()

const instigator = 'evacuation.coordination.k8s.io/instigator_drill.example.com'
const interception = 'evacuation.coordination.k8s.io/instigator_eviction.evacuation.coordination.k8s.io'
const taintEviction = 'evacuation.coordination.k8s.io/instigator_taint-eviction.evacuation.coordination.k8s.io'
const podRef = { name: 'web-0', uid: '11111111-1111-1111-1111-111111111111' }
const ref = { namespace: 'shop', ...podRef }
const budget: Blocker = { kind: 'budget', pod: ref, budget: 'web', healthy: 1, needed: 1 }

const high: Evacuator = { evacuatorClass: 'high.example.com', priority: 11_000 }
const middle: Evacuator = { evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }
const daemonSet: Evacuator = { evacuatorClass: 'daemonset.apps.k8s.io', priority: 10_000, role: 'controller' }
const daemonSetPod: PodSketch = {
  metadata: {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'log', uid: 'u', controller: true }],
  },
}
const blockedBy = (reason: string) =>
  ({ type: 'Blocked', status: 'True', reason, message: '', lastTransitionTime: at(0) }) as const
const low: Evacuator = { evacuatorClass: 'low.example.com', priority: 5 }

/** What a row says of its pod. */
interface PodSketch {
  readonly metadata?: Partial<Pod['metadata']>
  readonly status?: NonNullable<Pod['status']>
}

interface Row {
  readonly name: string
  readonly evacuators?: readonly Evacuator[]
  readonly status?: Partial<EvacuationStatus>
  readonly metadata?: Partial<Evacuation['metadata']>
  /** Null: gone. */
  readonly pod?: PodSketch | null
  readonly lastEviction?: LastEviction
  readonly gateOff?: boolean
  readonly claims?: Claims | 'not asked'
  readonly node?: NonNullable<EvacuationView['node']>
  readonly afterMs?: number
  readonly expected: Partial<Decision>
}

function viewOf(row: Row): EvacuationView {
  const metadata = {
    name: `${podRef.uid}-web-0`,
    namespace: 'shop',
    uid: 'e',
    resourceVersion: '1',
    creationTimestamp: at(0),
    finalizers: [instigator],
  }
  const pod: Pod = {
    metadata: { ...podRef, namespace: 'shop', resourceVersion: '1', ...row.pod?.metadata },
    spec: { containers: [], nodeName: 'node-1' },
    ...(row.pod?.status === undefined ? {} : { status: row.pod.status }),
  }
  return {
    evacuation: {
      metadata: { ...metadata, ...row.metadata },
      spec: { podRef, evacuators: [...(row.evacuators ?? [])], progressDeadlineSeconds: deadlineMs / 1_000 },
      status: { ...newEvacuationStatus, ...row.status },
    },
    pod: row.pod === null ? undefined : pod,
    lastEviction: row.lastEviction,
    claims: row.claims === 'not asked' ? undefined : (row.claims ?? { evacuators: [], isFresh: false }),
    ...(row.node === undefined ? {} : { node: row.node }),
    settings: { podEvictPolicy: row.gateOff !== true, controllerEvictTimeoutMs: minuteMs },
  }
}

function rows(list: readonly Row[]): void {
  test.each(list)('$name', (row) => {
    expect(decide(viewOf(row), createdMs + (row.afterMs ?? 1_000))).toMatchObject(row.expected)
  })
}

const active = (evacuator: Evacuator, extra: Partial<EvacuationStatus> = {}): Partial<EvacuationStatus> => ({
  activeEvacuatorClass: evacuator.evacuatorClass,
  ...extra,
})
const all = [low, high, middle]

describe('an Evacuation that was created while no webhook was there', () => {
  const named = { metadata: { annotations: { 'evacuation.coordination.k8s.io/priority_high.example.com': '11000' } } }
  const claimed = (isFresh: boolean): Claims => ({ evacuators: [middle], isFresh })
  rows([
    {
      name: 'is not acted on before it is known who claims the pod',
      claims: 'not asked',
      expected: { kind: 'askClaims', isFresh: false },
    },
    { name: 'of a pod that nobody claims is evicted from', expected: { kind: 'evict' } },
    {
      name: 'is looked at once more where an evacuator is missing',
      claims: claimed(false),
      expected: { kind: 'askClaims', isFresh: true },
    },
    {
      name: 'ends where an evacuator that claims the pod is missing',
      claims: claimed(true),
      expected: { kind: 'endIncomplete', missing: ['deployment.apps.k8s.io'] },
    },
    {
      name: 'ends where an evacuator that the pod names is missing, also if it has another',
      pod: named,
      evacuators: [low],
      claims: { evacuators: [], isFresh: true },
      expected: { kind: 'endIncomplete', missing: ['high.example.com'] },
    },
    {
      name: 'with all of them goes its way',
      pod: named,
      evacuators: all,
      claims: claimed(true),
      expected: { kind: 'select', evacuatorClass: 'high.example.com' },
    },
    {
      name: 'that has begun goes on: who claims a pod later has missed it',
      pod: named,
      evacuators: [low],
      status: { activeEvacuatorClass: 'low.example.com', activeEvacuatorCompleted: true },
      claims: claimed(true),
      expected: { kind: 'evict' },
    },
    {
      name: 'of a pod that is gone ends as any other',
      pod: null,
      claims: 'not asked',
      expected: { kind: 'finish' },
    },
  ])
})

describe('selecting evacuators', () => {
  rows([
    {
      name: 'picks the highest priority, whatever the order of the list',
      evacuators: all,
      expected: { kind: 'select', evacuatorClass: high.evacuatorClass },
    },
    {
      name: 'picks the first by name among equal priorities',
      evacuators: [
        { evacuatorClass: 'b.example.com', priority: 5 },
        { evacuatorClass: 'a.example.com', priority: 5 },
      ],
      expected: { kind: 'select', evacuatorClass: 'a.example.com' },
    },
    {
      name: 'selects one even if somebody set completed beforehand',
      evacuators: [low],
      status: { activeEvacuatorCompleted: true },
      expected: { kind: 'select', evacuatorClass: low.evacuatorClass },
    },
    {
      name: 'leaves the active one alone until half of its deadline has passed',
      evacuators: all,
      status: active(high, { evacuationProgressTimestamp: at(0) }),
      expected: { kind: 'wait', untilMs: createdMs + deadlineMs / 2, statusStays: true },
    },
    {
      name: 'names the active one as silent from half of its deadline on',
      evacuators: all,
      status: active(high, { evacuationProgressTimestamp: at(0) }),
      afterMs: deadlineMs / 2,
      expected: {
        kind: 'wait',
        untilMs: createdMs + deadlineMs,
        blocker: {
          kind: 'silentEvacuator',
          pod: ref,
          evacuatorClass: high.evacuatorClass,
          silentMs: deadlineMs / 2,
          deadlineMs,
        },
      },
    },
    {
      name: 'leaves it what it said itself about what it waits for',
      evacuators: all,
      status: active(high, {
        evacuationProgressTimestamp: at(0),
        conditions: [
          { type: 'Blocked', status: 'True', reason: 'ReplacementNotReady', message: '', lastTransitionTime: at(0) },
        ],
      }),
      afterMs: deadlineMs / 2,
      expected: { kind: 'wait', untilMs: createdMs + deadlineMs, statusStays: true },
    },
    {
      name: 'takes back that it was silent when it reports again',
      evacuators: all,
      status: active(high, {
        evacuationProgressTimestamp: at(20 * minuteMs),
        conditions: [
          { type: 'Blocked', status: 'True', reason: 'EvacuatorSilent', message: '', lastTransitionTime: at(0) },
        ],
      }),
      afterMs: 21 * minuteMs,
      expected: { kind: 'wait', untilMs: createdMs + 35 * minuteMs },
    },
    {
      name: 'goes on to the next when the active one completed',
      evacuators: all,
      status: active(high, { activeEvacuatorCompleted: true, evacuationProgressTimestamp: at(0) }),
      expected: { kind: 'switch', from: high.evacuatorClass, evacuatorClass: middle.evacuatorClass, why: 'completed' },
    },
    {
      name: 'goes on to the next when the deadline has elapsed since the last progress',
      evacuators: all,
      status: active(middle, { evacuationProgressTimestamp: at(minuteMs) }),
      afterMs: minuteMs + deadlineMs,
      expected: { kind: 'switch', from: middle.evacuatorClass, evacuatorClass: low.evacuatorClass, why: 'silent' },
    },
    {
      name: 'does not go on a millisecond earlier',
      evacuators: all,
      status: active(middle, { evacuationProgressTimestamp: at(minuteMs) }),
      afterMs: minuteMs + deadlineMs - 1,
      expected: { kind: 'wait' },
    },
    {
      name: 'counts from the creation while there was no progress',
      evacuators: all,
      status: active(high),
      afterMs: deadlineMs,
      expected: { kind: 'switch', evacuatorClass: middle.evacuatorClass, why: 'silent' },
    },
  ])
})

describe('evicting', () => {
  /** The status says zero. */
  const refused = (retryAtMs: number, failures = 0): LastEviction => ({
    kind: 'refused',
    blocker: budget,
    retryAtMs: createdMs + retryAtMs,
    failures,
  })
  rows([
    { name: 'without evacuators', expected: { kind: 'evict' } },
    {
      name: 'when the last evacuator completed',
      evacuators: [low],
      status: active(low, { activeEvacuatorCompleted: true, evacuationProgressTimestamp: at(0) }),
      expected: { kind: 'evict' },
    },
    {
      name: 'when the last evacuator fell silent',
      evacuators: [low],
      status: active(low, { evacuationProgressTimestamp: at(0) }),
      afterMs: deadlineMs,
      expected: { kind: 'evict' },
    },
    {
      name: 'not when that evacuator reports again',
      evacuators: [low],
      status: active(low, { evacuationProgressTimestamp: at(deadlineMs) }),
      lastEviction: refused(deadlineMs + 5_000),
      afterMs: deadlineMs + 1_000,
      expected: { kind: 'wait', untilMs: createdMs + 1.5 * deadlineMs },
    },
    {
      name: 'a pod that succeeded, like any other',
      pod: { status: { phase: 'Succeeded' } },
      expected: { kind: 'evict' },
    },
    {
      name: 'no pod of a DaemonSet',
      pod: daemonSetPod,
      expected: { kind: 'wait', blocker: { kind: 'notEvictable', pod: ref, podType: 'DaemonSet' } },
    },
    {
      name: 'no pod of a DaemonSet, and leaves it to its evacuator to say why it waits, also after the deadline',
      evacuators: [daemonSet],
      status: active(daemonSet, { conditions: [blockedBy('BeyondDrainTargets')] }),
      afterMs: deadlineMs + 1,
      pod: daemonSetPod,
      expected: { kind: 'wait', statusStays: true },
    },
    {
      name: 'no pod of a DaemonSet, and says so when its evacuator has fallen silent',
      evacuators: [daemonSet],
      status: active(daemonSet, { conditions: [blockedBy('EvacuatorSilent')] }),
      afterMs: deadlineMs + 1,
      pod: daemonSetPod,
      expected: { kind: 'wait', blocker: { kind: 'notEvictable', pod: ref, podType: 'DaemonSet' } },
    },
    {
      name: 'no mirror of a static pod',
      pod: { metadata: { annotations: { 'kubernetes.io/config.mirror': 'hash' } } },
      expected: { kind: 'wait', blocker: { kind: 'notEvictable', pod: ref, podType: 'Static' } },
    },
    {
      name: 'not again while the accepted one has time to show',
      lastEviction: { kind: 'asked', atMs: createdMs },
      expected: { kind: 'wait', untilMs: createdMs + 15_000, statusStays: true },
    },
    {
      name: 'again when an eviction did not show',
      lastEviction: { kind: 'asked', atMs: createdMs },
      afterMs: 15_000,
      expected: { kind: 'evict' },
    },
    {
      name: 'only after the back-off of a refusal',
      lastEviction: refused(8_000),
      expected: { kind: 'wait', untilMs: createdMs + 8_000, blocker: budget },
    },
    { name: 'after the back-off', lastEviction: refused(8_000), afterMs: 8_000, expected: { kind: 'evict' } },
    {
      name: 'not before the last refusal is written down',
      lastEviction: refused(8_000, 1),
      afterMs: 9_000,
      expected: { kind: 'recordRefusal', failures: 1, blocker: budget },
    },
    {
      name: 'not before the last refusal is counted, without its words if the evacuator has spoken since',
      evacuators: [low],
      status: active(low, { evacuationProgressTimestamp: at(deadlineMs) }),
      lastEviction: refused(deadlineMs + 5_000, 1),
      afterMs: deadlineMs + 1_000,
      expected: { kind: 'recordRefusal', failures: 1 },
    },
    {
      name: 'and a refusal that the status has counted, though its reply was lost, is not counted twice',
      status: { failedEvictionCounter: 1 },
      lastEviction: refused(8_000, 1),
      expected: { kind: 'wait', untilMs: createdMs + 8_000, blocker: budget },
    },
  ])
})

describe('a terminating pod', () => {
  const reports = { silence: undefined }
  const silence = { node: 'node-1', nodeReady: 'Unknown', since: at(5_000) } as const
  const terminating = (extra: Partial<Pod['metadata']> = {}): PodSketch => ({
    metadata: { deletionTimestamp: at(30_000), deletionGracePeriodSeconds: 30, ...extra },
  })
  rows([
    {
      name: 'is given a moment before anything is written',
      pod: terminating(),
      expected: { kind: 'wait', untilMs: createdMs + 10_000, statusStays: true },
    },
    {
      name: 'is not evicted, and says for how long it has been terminating',
      pod: terminating(),
      afterMs: 25_000,
      expected: {
        kind: 'wait',
        untilMs: createdMs + 40_000,
        blocker: { kind: 'terminating', pod: ref, elapsedMs: 20_000, graceMs: 30_000 },
      },
    },
    {
      name: 'has its node looked at beyond its grace period',
      pod: terminating({ finalizers: ['example.com/backup'] }),
      afterMs: 45_000,
      expected: { kind: 'askNode' },
    },
    {
      name: 'names the silence of its node, also before finalizers, and looks again ever more seldom',
      pod: terminating({ finalizers: ['example.com/backup'] }),
      node: { silence },
      afterMs: 45_000,
      expected: { kind: 'wait', untilMs: createdMs + 80_000, blocker: { kind: 'silentNode', pod: ref, ...silence } },
    },
    {
      name: 'says for how long where its node reports',
      pod: terminating(),
      node: reports,
      afterMs: 45_000,
      expected: {
        kind: 'wait',
        untilMs: createdMs + 80_000,
        blocker: { kind: 'terminating', pod: ref, elapsedMs: 40_000, graceMs: 30_000 },
      },
    },
    {
      name: 'names the finalizers that hold it beyond its grace period',
      pod: terminating({ finalizers: ['example.com/backup'] }),
      node: reports,
      afterMs: 45_000,
      expected: { kind: 'wait', blocker: { kind: 'finalizers', pod: ref, finalizers: ['example.com/backup'] } },
    },
    {
      name: 'gets no evacuator within its first moments, in which most pods go',
      evacuators: all,
      pod: terminating(),
      expected: { kind: 'wait', untilMs: createdMs + 10_000, statusStays: true },
    },
    {
      name: 'first says for how long, and then gets its evacuator',
      evacuators: all,
      pod: terminating(),
      afterMs: 25_000,
      expected: { kind: 'wait', blocker: { kind: 'terminating', pod: ref, elapsedMs: 20_000, graceMs: 30_000 } },
    },
    {
      name: 'gets its evacuator like any other',
      evacuators: all,
      status: { conditions: [blockedBy('Terminating')] },
      pod: terminating(),
      afterMs: 25_000,
      expected: { kind: 'select', evacuatorClass: high.evacuatorClass },
    },
    {
      name: 'gets the next one when the first completed',
      evacuators: all,
      status: active(high, { activeEvacuatorCompleted: true }),
      pod: terminating(),
      afterMs: 25_000,
      expected: { kind: 'switch', evacuatorClass: middle.evacuatorClass, why: 'completed' },
    },
    {
      name: 'gets the next one when the first is silent beyond its deadline',
      evacuators: all,
      status: active(high),
      pod: terminating(),
      afterMs: deadlineMs,
      expected: { kind: 'switch', evacuatorClass: middle.evacuatorClass, why: 'silent' },
    },
    {
      name: 'is left to its evacuator while that reports',
      evacuators: [low],
      status: active(low, { evacuationProgressTimestamp: at(24_000) }),
      pod: terminating(),
      afterMs: 25_000,
      expected: { kind: 'wait', statusStays: true },
    },
    {
      name: 'is not evicted after the last evacuator',
      evacuators: [low],
      status: active(low, { activeEvacuatorCompleted: true }),
      pod: terminating(),
      afterMs: 25_000,
      expected: { kind: 'wait', blocker: { kind: 'terminating', pod: ref, elapsedMs: 20_000, graceMs: 30_000 } },
    },
  ])
})

describe('ending', () => {
  const gone = null
  rows([
    { name: 'finishes when the pod is gone', pod: gone, expected: { kind: 'finish' } },
    {
      name: 'finishes when the pod is gone, also under Forbid',
      pod: gone,
      status: { evacuationCancellationPolicy: 'Forbid' },
      expected: { kind: 'finish' },
    },
    {
      name: 'finishes what was being deleted while its instigators are still there',
      pod: gone,
      metadata: { deletionTimestamp: at(0) },
      expected: { kind: 'finish' },
    },
    {
      name: 'leaves the finalizers of others to them',
      pod: gone,
      metadata: { deletionTimestamp: at(0), finalizers: ['example.com/report'] },
      expected: { kind: 'wait', statusStays: true },
    },
    { name: 'cancels without instigators', metadata: { finalizers: [] }, expected: { kind: 'cancel' } },
    {
      name: 'cancels although an evacuator holds it to roll back',
      evacuators: [low],
      metadata: { finalizers: ['evacuation.coordination.k8s.io/instigator_low.example.com'] },
      expected: { kind: 'cancel' },
    },
    {
      name: 'cancels though finalizers of others are there',
      metadata: { finalizers: ['example.com/report'] },
      expected: { kind: 'cancel' },
    },
    {
      name: 'goes on without instigators under Forbid',
      metadata: { finalizers: [] },
      status: { evacuationCancellationPolicy: 'Forbid' },
      expected: { kind: 'evict' },
    },
    {
      name: 'neither selects nor evicts once it is being deleted',
      evacuators: all,
      metadata: { deletionTimestamp: at(0) },
      expected: { kind: 'wait', statusStays: true },
    },
  ])
})

describe('an intercepted eviction', () => {
  const asked = (finalizers: string[], sinceMs: number): Partial<Evacuation['metadata']> => ({
    finalizers,
    annotations: { 'evacuation.coordination.k8s.io/eviction-requested-at': at(sinceMs) },
  })
  const marked = { metadata: { annotations: { 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'lifeboat' } } }
  rows([
    {
      name: 'counts as an intent for half an hour after the last request',
      evacuators: [high],
      status: active(high, { evacuationProgressTimestamp: at(29 * minuteMs) }),
      metadata: asked([interception], 5 * minuteMs),
      afterMs: 34 * minuteMs,
      expected: { kind: 'wait', untilMs: createdMs + 35 * minuteMs },
    },
    {
      name: 'lapses then',
      metadata: asked([interception, instigator], 5 * minuteMs),
      afterMs: 35 * minuteMs,
      expected: { kind: 'lapse' },
    },
    {
      name: 'lapses when somebody deletes the Evacuation, after the pod is tidied up',
      metadata: { ...asked([interception], 0), deletionTimestamp: at(0) },
      pod: marked,
      expected: { kind: 'tidyPod', annotations: ['descheduler.alpha.kubernetes.io/eviction-in-progress'] },
    },
    {
      name: 'lapses when somebody deletes the Evacuation',
      metadata: { ...asked([interception], 0), deletionTimestamp: at(0) },
      expected: { kind: 'lapse' },
    },
    {
      name: 'leaves no mark on a pod that stays',
      metadata: asked([], 0),
      pod: marked,
      expected: { kind: 'tidyPod' },
    },
    {
      name: 'leaves a mark that somebody else made',
      metadata: asked([], 0),
      pod: { metadata: { annotations: { 'descheduler.alpha.kubernetes.io/eviction-in-progress': 'kubevirt' } } },
      expected: { kind: 'cancel' },
    },
  ])
})

describe('a pod whose controller takes over', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'u', controller: true }
  const takeOver = (extra: Record<string, string> = {}): PodSketch => ({
    metadata: {
      ownerReferences: [owner],
      annotations: { 'kubernetes.io/evict-policy': 'ControllerTakeOver', ...extra },
    },
  })
  const wanted = { 'kubernetes.io/pod-evict-wanted': 'true' }
  const since = (ms: number): Partial<EvacuationStatus> => ({
    conditions: [
      { type: 'ControllerAsked', status: 'True', reason: 'EvictWanted', message: '', lastTransitionTime: at(ms) },
    ],
  })
  rows([
    { name: 'is not evicted before its controller was asked', pod: takeOver(), expected: { kind: 'askController' } },
    {
      name: 'is asked again if the annotation did not get there',
      pod: takeOver(),
      status: since(0),
      expected: { kind: 'askController' },
    },
    {
      name: 'has the timeout to go',
      pod: takeOver(wanted),
      status: since(0),
      expected: {
        kind: 'wait',
        untilMs: createdMs + minuteMs,
        blocker: { kind: 'controllerTakeover', pod: ref, owner: 'ReplicaSet web', waitedMs: 0, timeoutMs: minuteMs },
      },
    },
    {
      name: 'is evicted after the timeout',
      pod: takeOver(wanted),
      status: since(0),
      afterMs: minuteMs,
      expected: { kind: 'evict' },
    },
    {
      name: 'has as long as it says itself',
      pod: takeOver({ ...wanted, 'kubernetes.io/evict-timeout': '1h' }),
      status: since(0),
      afterMs: minuteMs,
      expected: {
        kind: 'wait',
        untilMs: createdMs + 60 * minuteMs,
        blocker: { kind: 'controllerTakeover', pod: ref, waitedMs: 0, timeoutMs: 60 * minuteMs },
      },
    },
    {
      name: 'and no longer',
      pod: takeOver({ ...wanted, 'kubernetes.io/evict-timeout': '20s' }),
      status: since(0),
      afterMs: 20_000,
      expected: { kind: 'evict' },
    },
    { name: 'is evicted at once with the gate off', pod: takeOver(), gateOff: true, expected: { kind: 'evict' } },
    {
      name: 'is evicted at once if it has no controller',
      pod: { metadata: { annotations: { 'kubernetes.io/evict-policy': 'ControllerTakeOver' } } },
      expected: { kind: 'evict' },
    },
    {
      name: 'is evicted at once under Default',
      pod: { metadata: { ownerReferences: [owner], annotations: { 'kubernetes.io/evict-policy': 'Default' } } },
      expected: { kind: 'evict' },
    },
    {
      name: 'is not evicted after the timeout if only its dead node is the reason: Kubernetes deletes it',
      pod: takeOver(wanted),
      status: since(0),
      metadata: { finalizers: [taintEviction] },
      afterMs: minuteMs,
      expected: {
        kind: 'wait',
        blocker: {
          kind: 'controllerTakeover',
          pod: ref,
          owner: 'ReplicaSet web',
          node: 'node-1',
          waitedMs: 0,
          timeoutMs: minuteMs,
        },
      },
    },
    {
      name: 'is evicted if somebody else wants it gone too',
      pod: takeOver(wanted),
      status: since(0),
      metadata: { finalizers: [taintEviction, instigator] },
      afterMs: minuteMs,
      expected: { kind: 'evict' },
    },
    {
      name: 'of a dead node is left to its controller: built-in evacuators that claim it keep out',
      pod: takeOver(),
      metadata: { finalizers: [taintEviction] },
      claims: { evacuators: [middle], isFresh: true },
      expected: { kind: 'askController' },
    },
    {
      name: 'of a dead node is not taken past an evacuator that it names',
      pod: takeOver({ 'evacuation.coordination.k8s.io/priority_backup.example.com': '5000' }),
      metadata: { finalizers: [taintEviction] },
      expected: { kind: 'endIncomplete', missing: ['backup.example.com'] },
    },
    {
      name: 'of a dead node is not evicted though its policy was changed meanwhile',
      pod: { metadata: { ownerReferences: [owner] } },
      metadata: { finalizers: [taintEviction] },
      expected: { kind: 'wait' },
    },
    {
      name: 'of a dead node is no longer wanted gone with the gate off',
      pod: takeOver(wanted),
      status: since(0),
      gateOff: true,
      metadata: { finalizers: [taintEviction] },
      expected: { kind: 'lapse', finalizer: taintEviction },
    },
    {
      name: 'loses the annotation when the evacuation is cancelled',
      pod: takeOver(wanted),
      status: since(0),
      metadata: { finalizers: [] },
      expected: { kind: 'tidyPod', annotations: ['kubernetes.io/pod-evict-wanted'] },
    },
  ])
})
