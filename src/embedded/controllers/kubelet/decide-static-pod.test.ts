import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { decideStaticPod, type RunningStaticPod } from './decide-static-pod.ts'

const nowMs = 100_000
const wanted = { namespace: 'default', name: 'proxy-one', hash: 'new', template: {} }
const running = (changes: Partial<RunningStaticPod> = {}): RunningStaticPod => ({
  nodeName: 'one',
  hash: 'new',
  seen: '',
  ...changes,
})
const mirror = (hash: string, terminateAfter?: string) => ({
  metadata: storedMeta({
    annotations: {
      'kubernetes.io/config.mirror': hash,
      ...(terminateAfter === undefined ? {} : { 'lifeboat.test/terminate-after': terminateAfter }),
    },
  }),
  spec: { terminationGracePeriodSeconds: 10 },
})

test.each([
  { name: 'a new manifest shows a mirror', wanted, expected: { kind: 'showMirror' } },
  {
    name: 'a mirror that is right stays',
    wanted,
    running: running(),
    mirror: mirror('new'),
    expected: { kind: 'nothing' },
  },
  { name: 'a mirror that went comes back', wanted, running: running(), expected: { kind: 'showMirror' } },
  {
    name: 'without a manifest it stops at once',
    running: running(),
    mirror: mirror('new'),
    expected: { kind: 'stop', endsAtMs: nowMs },
  },
  {
    name: 'a slow one stops later',
    running: running(),
    mirror: mirror('new', '5s'),
    expected: { kind: 'stop', endsAtMs: nowMs + 5_000 },
  },
  {
    name: 'its grace limits that',
    running: running(),
    mirror: mirror('new', '1m'),
    expected: { kind: 'stop', endsAtMs: nowMs + 10_000 },
  },
  {
    name: 'another manifest stops what runs',
    wanted,
    running: running({ hash: 'old' }),
    mirror: mirror('old'),
    expected: { kind: 'stop', endsAtMs: nowMs },
  },
  {
    name: 'a mirror from before the kubelet started is known by its hash',
    wanted,
    mirror: mirror('old'),
    expected: { kind: 'stop', endsAtMs: nowMs },
  },
  {
    name: 'what ends is waited for, also when its manifest comes back',
    wanted,
    running: running({ endsAtMs: nowMs + 1 }),
    mirror: mirror('new'),
    expected: { kind: 'wait', untilMs: nowMs + 1 },
  },
  {
    name: 'the mirror of what has ended goes',
    running: running({ endsAtMs: nowMs }),
    mirror: mirror('new'),
    expected: { kind: 'removeMirror' },
  },
  { name: 'without a mirror it is forgotten', running: running({ endsAtMs: nowMs }), expected: { kind: 'forget' } },
])('$name', ({ expected, ...view }) => {
  expect(decideStaticPod({ wanted: undefined, running: undefined, mirror: undefined, ...view }, nowMs)).toEqual(
    expected,
  )
})
