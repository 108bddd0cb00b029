import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { timeOf } from '../pod-status.ts'
import { decidePod } from './decide-pod.ts'

const start = '2026-01-01T00:00:00Z'
const startMs = timeOf(start)
const ready = { type: 'Ready', status: 'True' }
const running = (status: object = {}) => ({
  phase: 'Running',
  startTime: start,
  containerStatuses: [{ name: 'main', state: { running: { startedAt: start } } }],
  ...status,
})
const annotated = (annotations: Record<string, string>) =>
  Object.fromEntries(Object.entries(annotations).map(([name, value]) => [`lifeboat.test/${name}`, value]))
const waiting = (reason: string) => ({ containerStatuses: [{ name: 'main', state: { waiting: { reason } } }] })

interface Row {
  readonly name: string
  readonly annotations?: Record<string, string>
  readonly metadata?: object
  readonly spec?: object
  readonly status?: object
  readonly afterMs?: number
  readonly expected: object
}

const job = { ownerReferences: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'import', uid: 'u1' }] }
const deleted = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 }

const rows: readonly Row[] = [
  { name: 'starts a new pod, ready at once', status: { phase: 'Pending' }, expected: { kind: 'start', ready: true } },
  {
    name: 'starts one that is to be ready later, not ready',
    status: { phase: 'Pending' },
    annotations: { 'ready-after': '5s' },
    expected: { kind: 'start', ready: false },
  },
  {
    name: 'starts one with readiness gates, not ready',
    status: { phase: 'Pending' },
    spec: { readinessGates: [{ conditionType: 'lb' }] },
    expected: { kind: 'start', ready: false },
  },
  {
    name: 'fails to pull',
    status: { phase: 'Pending' },
    annotations: { 'image-pull': 'fails' },
    expected: { kind: 'failToPull' },
  },
  {
    name: 'goes on failing to pull without a word',
    status: { phase: 'Pending', ...waiting('ImagePullBackOff') },
    annotations: { 'image-pull': 'fails' },
    expected: { kind: 'nothing' },
  },
  {
    name: 'starts when it can pull after all',
    status: { phase: 'Pending', ...waiting('ImagePullBackOff') },
    expected: { kind: 'start', ready: true },
  },
  {
    name: 'waits until it is to be ready',
    status: running(),
    annotations: { 'ready-after': '5s' },
    expected: { kind: 'wait', untilMs: startMs + 6_000 },
  },
  {
    name: 'is ready then',
    status: running(),
    annotations: { 'ready-after': '5s' },
    afterMs: 6_000,
    expected: { kind: 'becomeReady' },
  },
  {
    name: 'waits for its gates',
    status: running(),
    spec: { readinessGates: [{ conditionType: 'lb' }] },
    expected: { kind: 'nothing' },
  },
  {
    name: 'is ready when its gates are',
    status: running({ conditions: [{ type: 'lb', status: 'True' }] }),
    spec: { readinessGates: [{ conditionType: 'lb' }] },
    expected: { kind: 'becomeReady' },
  },
  {
    name: 'is no longer ready when told so',
    status: running({ conditions: [ready] }),
    annotations: { 'never-ready': 'true' },
    expected: { kind: 'becomeUnready' },
  },
  {
    name: 'crashes',
    status: running({ conditions: [ready] }),
    annotations: { crash: 'true' },
    expected: { kind: 'crash' },
  },
  {
    name: 'crashes once',
    status: running(waiting('CrashLoopBackOff')),
    annotations: { crash: 'true' },
    expected: { kind: 'nothing' },
  },
  {
    name: 'recovers from a crash',
    status: running(waiting('CrashLoopBackOff')),
    expected: { kind: 'becomeReady' },
  },
  {
    name: 'fails a second later',
    status: running(),
    annotations: { fails: 'true' },
    afterMs: 1_000,
    expected: { kind: 'fail' },
  },
  {
    name: 'is done with one that failed',
    status: { phase: 'Failed' },
    annotations: { fails: 'true' },
    expected: { kind: 'nothing' },
  },
  {
    name: 'lets a Job’s pod work for a moment',
    metadata: job,
    status: running({ conditions: [ready] }),
    expected: { kind: 'wait', untilMs: startMs + 2_000 },
  },
  {
    name: 'completes it',
    metadata: job,
    status: running({ conditions: [ready] }),
    afterMs: 2_000,
    expected: { kind: 'complete' },
  },
  { name: 'ends a deleted pod at once', metadata: deleted, status: running(), expected: { kind: 'end' } },
  {
    name: 'ends a slow one later',
    metadata: deleted,
    status: running(),
    annotations: { 'terminate-after': '10s' },
    expected: { kind: 'wait', untilMs: startMs + 11_000 },
  },
  {
    name: 'ends one that never stops with its grace period',
    metadata: deleted,
    status: running(),
    annotations: { 'terminate-after': '10m' },
    expected: { kind: 'wait', untilMs: startMs + 30_000 },
  },
  {
    name: 'leaves one that only a finalizer holds',
    metadata: { ...deleted, deletionGracePeriodSeconds: 0 },
    status: running(),
    expected: { kind: 'nothing' },
  },
]

describe('a kubelet', () => {
  test.each(rows)('$name', ({ metadata = {}, annotations = {}, spec = {}, status = {}, afterMs = 0, expected }) => {
    const pod = {
      metadata: storedMeta({ name: 'web', annotations: annotated(annotations), ...metadata }),
      spec,
      status,
    }
    expect(decidePod(pod, startMs + afterMs)).toEqual(expected)
  })
})
