import { expect, test } from 'vitest'
import type { Blocker } from '../api/blocker/blocker.ts'
import { newEvacuationStatus, type Evacuation, type EvacuationStatus } from '../api/evacuation/evacuation.ts'
import { stored } from '../../test/build/stored.ts'
import { blockedIfNews, controllerAsked, refused, selected, switched } from './status-changes.ts'

const nowMs = Date.UTC(2026, 0, 1, 12) + 750
const now = '2026-01-01T12:00:00Z'
const before = '2026-01-01T11:00:00Z'
const podRef = { name: 'web-0', uid: 'u' }
const blocker: Blocker = { kind: 'budget', pod: { namespace: 'shop', ...podRef }, budget: 'web', healthy: 1, needed: 1 }
const message = 'shop/web-0 waits for budget web (1 healthy, 1 needed)'
const blocked = {
  type: 'Blocked',
  status: 'True',
  reason: 'DisruptionBudget',
  message,
  lastTransitionTime: before,
} as const
const typed = { kind: 'budget', budget: 'web', healthy: 1, needed: 1 } as const
const theirs = {
  type: 'Migrating',
  status: 'True',
  reason: 'Copying',
  message: '',
  lastTransitionTime: before,
} as const

function evacuationWith(status: Partial<EvacuationStatus>): Evacuation {
  return stored({
    metadata: { namespace: 'shop' },
    spec: { podRef, progressDeadlineSeconds: 600 },
    status: { ...newEvacuationStatus, ...status },
  })
}

test('a selected evacuator starts with a fresh deadline', () => {
  expect(selected(evacuationWith({}), 'a.example.com', nowMs)).toEqual({
    activeEvacuatorClass: 'a.example.com',
    activeEvacuatorCompleted: false,
    evacuationProgressTimestamp: now,
    expectedEvacuationFinishTime: null,
    message: 'Evacuator a.example.com was selected',
  })
})

test('of an evacuator that says nothing at first, the selection says what it does', () => {
  expect(selected(evacuationWith({}), 'deployment.apps.k8s.io', nowMs)).toMatchObject({
    message:
      'Evacuator deployment.apps.k8s.io was selected. It starts a replacement first, as far as the Deployment allows a surge',
  })
})

test.each([
  { why: 'completed', says: 'Switched from evacuator a.example.com, which completed, to b.example.com' },
  {
    why: 'silent',
    says: 'Switched from evacuator a.example.com, which reported no progress for 600 s, to b.example.com',
  },
] as const)('a switch after one that is $why resets what the last one reported, and says so', ({ why, says }) => {
  const status = { activeEvacuatorCompleted: true, expectedEvacuationFinishTime: before, conditions: [blocked, theirs] }
  const change = switched(
    evacuationWith(status),
    { from: 'a.example.com', evacuatorClass: 'b.example.com', why },
    nowMs,
  )
  expect(change).toEqual({
    activeEvacuatorClass: 'b.example.com',
    activeEvacuatorCompleted: false,
    evacuationProgressTimestamp: now,
    expectedEvacuationFinishTime: null,
    message: says,
    conditions: [
      { type: 'Blocked', status: 'False', reason: 'Progressing', message: '', lastTransitionTime: now },
      theirs,
    ],
  })
})

test('the cancellation policy is not reset', () => {
  const status = { evacuationCancellationPolicy: 'Forbid' } as const
  expect(selected(evacuationWith(status), 'a.example.com', nowMs)).not.toHaveProperty('evacuationCancellationPolicy')
})

test('a refusal counts, and names what refuses', () => {
  expect(refused(evacuationWith({ failedEvictionCounter: 2 }), { failures: 3, blocker }, nowMs)).toEqual({
    failedEvictionCounter: 3,
    message,
    conditions: [{ ...blocked, lastTransitionTime: now }],
    blockedBy: [typed],
  })
})

test('a refusal that an evacuator has spoken after only counts', () => {
  expect(refused(evacuationWith({ message: 'back again' }), { failures: 3 }, nowMs)).toEqual({
    failedEvictionCounter: 3,
  })
})

test('what blocks no more is taken away with its condition', () => {
  const evacuation = evacuationWith({ conditions: [blocked], blockedBy: [typed] })
  expect(blockedIfNews(evacuation, undefined, nowMs)).toMatchObject({
    conditions: [{ status: 'False' }],
    blockedBy: null,
  })
})

test('who asked the controller once remembers that moment', () => {
  const first = controllerAsked(evacuationWith({}), blocker, nowMs)
  expect(first?.conditions).toMatchObject([{ type: 'Blocked' }, { type: 'ControllerAsked', lastTransitionTime: now }])
  expect(
    controllerAsked(evacuationWith({ conditions: [...(first?.conditions ?? [])] }), blocker, nowMs),
  ).toBeUndefined()
})

test('what is known is not written again', () => {
  expect(blockedIfNews(evacuationWith({ conditions: [blocked] }), blocker, nowMs)).toBeUndefined()
  expect(blockedIfNews(evacuationWith({}), undefined, nowMs)).toBeUndefined()
})

test('other numbers are news, but no transition', () => {
  expect(blockedIfNews(evacuationWith({ conditions: [blocked] }), { ...blocker, needed: 2 }, nowMs)).toMatchObject({
    conditions: [{ message: 'shop/web-0 waits for budget web (1 healthy, 2 needed)', lastTransitionTime: before }],
  })
})

test('a drain that joins a dead node is news, although the message is the same', () => {
  const takeover = { kind: 'controllerTakeover', pod: blocker.pod, waitedMs: 0, timeoutMs: 60_000 } as const
  const first = blockedIfNews(evacuationWith({}), { ...takeover, node: 'node-1' }, nowMs)
  const evacuation = evacuationWith({ conditions: [...(first?.conditions ?? [])], blockedBy: first?.blockedBy ?? [] })
  expect(blockedIfNews(evacuation, { ...takeover, node: 'node-1' }, nowMs)).toBeUndefined()
  expect(blockedIfNews(evacuation, takeover, nowMs)).toMatchObject({
    blockedBy: [{ kind: 'controllerTakeover', waitedSeconds: 0, timeoutSeconds: 60 }],
  })
  expect(blockedIfNews(evacuation, takeover, nowMs)?.blockedBy?.[0]).not.toHaveProperty('node')
})

test('silence leaves the last words of the evacuator', () => {
  const silent = {
    kind: 'silentEvacuator',
    pod: blocker.pod,
    evacuatorClass: 'a',
    silentMs: 300_000,
    deadlineMs: 600_000,
  } as const
  expect(blockedIfNews(evacuationWith({ message: 'copied 40 %' }), silent, nowMs)).not.toHaveProperty('message')
})
