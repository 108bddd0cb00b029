import { expect, test } from 'vitest'
import { storedMeta } from '../../test/build/stored.ts'
import { newEvacuationStatus, type Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { viewOf, wouldEvict, type Known } from './known-evacuation.ts'
import type { LastEviction } from './view.ts'

const nowMs = Date.UTC(2026, 0, 1, 1)
const moment = {
  nowMs,
  leadingSinceMs: Date.UTC(2026, 0, 1),
  settings: { podEvictPolicy: true, controllerEvictTimeoutMs: 60_000 },
}
const pod: Pod = { metadata: storedMeta({ namespace: 'shop', name: 'web' }) }
const evacuation = (metadata: object = {}, status: object = {}): Evacuation => ({
  metadata: {
    ...storedMeta({ namespace: 'shop', name: 'e', finalizers: [instigatorFinalizer('drill.example.com')] }),
    ...metadata,
  },
  spec: { podRef: { name: 'web', uid: pod.metadata.uid }, progressDeadlineSeconds: 600 },
  status: { ...newEvacuationStatus, ...status },
})
const refused: LastEviction = {
  kind: 'refused',
  blocker: { kind: 'throttled', pod: { namespace: 'shop', name: 'web', uid: pod.metadata.uid } },
  retryAtMs: nowMs + 900_000,
  failures: 0,
}
const known = (extra: Partial<Known> = {}): Known => ({
  evacuation: evacuation(),
  pod,
  lastEviction: refused,
  claims: { evacuators: [], isFresh: true },
  ...extra,
})

test.each<{ name: string; of: Known; expected: boolean }>([
  { name: 'who was refused would be evicted', of: known(), expected: true },
  { name: 'who was not refused waits for nothing', of: known({ lastEviction: undefined }), expected: false },
  {
    name: 'a pod that was deleted would not',
    of: known({ pod: { metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:59:59Z' } } }),
    expected: false,
  },
  { name: 'a withdrawn one would not', of: known({ evacuation: evacuation({ finalizers: [] }) }), expected: false },
  {
    name: 'one that is cancelled would not',
    of: known({ evacuation: evacuation({ deletionTimestamp: '2026-01-01T00:59:59Z' }) }),
    expected: false,
  },
])('$name', ({ of, expected }) => expect(wouldEvict(of, moment)).toBe(expected))

test('the view remembers what progress it has seen', () => {
  const of = known({ evacuation: evacuation({}, { evacuationProgressTimestamp: '2026-01-01T00:30:00Z' }) })
  expect(viewOf(of, moment)).toMatchObject({ pod, lastEviction: refused, settings: moment.settings })
  expect(of.progress).toEqual({
    reported: '2026-01-01T00:30:00Z',
    seenAtMs: nowMs,
    notBeforeMs: moment.leadingSinceMs,
  })
})
