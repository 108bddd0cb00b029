import { describe, expect, test } from 'vitest'
import { newEvacuationStatus, type EvacuationStatus } from '../api/evacuation/evacuation.ts'
import {
  allowingCancellation,
  beginningReport,
  failureReport,
  heartbeatIntervalMs,
  reportOf,
  reportTiming,
  statusChange,
  type Report,
  type ReportHistory,
} from './report.ts'

const pod = { namespace: 'shop', name: 'web', uid: 'u' }
const report: Report = { message: 'moving', progress: true, completed: false }
const nowMs = Date.UTC(2026, 0, 1, 12, 0, 0, 900)
const now = '2026-01-01T12:00:00Z'

describe('what an evacuator says', () => {
  test('working is progress', () => {
    expect(
      reportOf({ kind: 'working', message: 'm', againInMs: 5, expectedFinishMs: 7, cancellation: 'Forbid' }),
    ).toEqual({ message: 'm', progress: true, completed: false, expectedFinishMs: 7, cancellation: 'Forbid' })
  })

  test('waiting is none, and words a blocker as everybody does', () => {
    expect(
      reportOf({ kind: 'waiting', because: { kind: 'budget', pod, budget: 'web', healthy: 1, needed: 2 } }),
    ).toEqual({
      message: 'shop/web waits for budget web (1 healthy, 2 needed)',
      progress: false,
      completed: false,
      blocked: {
        reason: 'DisruptionBudget',
        message: 'shop/web waits for budget web (1 healthy, 2 needed)',
        by: { kind: 'budget', budget: 'web', healthy: 1, needed: 2 },
      },
    })
  })

  test.each([
    { name: 'keeps a reason of one word', reason: 'NoRoom', expected: 'NoRoom' },
    { name: 'replaces a reason that the API server would refuse', reason: 'no room!', expected: 'Waiting' },
    { name: 'replaces an empty reason', reason: '', expected: 'Waiting' },
    { name: 'replaces an endless reason', reason: 'x'.repeat(2_000), expected: 'Waiting' },
  ])('$name', ({ reason, expected }) => {
    expect(reportOf({ kind: 'waiting', because: { reason, message: 'm' } }).blocked?.reason).toBe(expected)
  })

  test('completed is the end', () => {
    expect(reportOf({ kind: 'completed', message: 'm' })).toEqual({ message: 'm', progress: true, completed: true })
  })

  test('a failure is no progress, and says what failed', () => {
    expect(failureReport('step', new Error('boom'))).toMatchObject({
      progress: false,
      blocked: { reason: 'StepFailed', message: 'The evacuator failed and tries again: boom' },
    })
    expect(failureReport('cancel', 'boom').blocked).toMatchObject({ reason: 'CancelFailed' })
  })

  test('before it says anything, it is at work', () => {
    expect(beginningReport('a.example.com')).toMatchObject({
      progress: true,
      message: 'Evacuator a.example.com is at work',
    })
  })
})

describe('when a report is written', () => {
  const written: ReportHistory = { report, writtenAtMs: 100_000, progressAtMs: 100_000 }
  test.each<{ name: string; report: Report; history: ReportHistory; atMs: number; expected: number | 'now' }>([
    { name: 'the first at once', report, history: {}, atMs: 0, expected: 'now' },
    {
      name: 'the same again after a tenth of the deadline',
      report,
      history: written,
      atMs: 100_000,
      expected: 180_000,
    },
    { name: 'the same again when it is time', report, history: written, atMs: 280_000, expected: 'now' },
    {
      name: 'news after 20 seconds',
      report: { ...report, message: 'x' },
      history: written,
      atMs: 103_000,
      expected: 17_000,
    },
    {
      name: 'news at once if the last were written long ago',
      report: { ...report, expectedFinishMs: 5 },
      history: written,
      atMs: 120_000,
      expected: 'now',
    },
    {
      name: 'news that cannot wait at once',
      report: { ...report, cancellation: 'Forbid' },
      history: written,
      atMs: 100_001,
      expected: 'now',
    },
    {
      name: 'the same policy again not at once',
      report: { ...report, cancellation: 'Forbid' },
      history: { ...written, report: { ...report, cancellation: 'Forbid' } },
      atMs: 100_001,
      expected: 179_999,
    },
    {
      name: 'nothing about a policy after Forbid not at once',
      report,
      history: { ...written, report: { ...report, cancellation: 'Forbid' } },
      atMs: 100_001,
      expected: 179_999,
    },
    {
      name: 'the end at once',
      report: { ...report, completed: true },
      history: written,
      atMs: 100_001,
      expected: 'now',
    },
    {
      name: 'the same wait never again',
      report: { ...report, progress: false },
      history: { ...written, report: { ...report, progress: false } },
      atMs: 9_000_000,
      expected: Number.POSITIVE_INFINITY,
    },
    {
      name: 'who may be quiet waits with its first progress',
      report,
      history: { quietUntilMs: 120_000 },
      atMs: 100_000,
      expected: 20_000,
    },
    {
      name: 'who may be quiet no longer reports it at once',
      report,
      history: { quietUntilMs: 120_000 },
      atMs: 120_000,
      expected: 'now',
    },
    {
      name: 'who may be quiet says at once what somebody has to mend',
      report: { ...report, progress: false, blocked: { reason: 'B', message: 'b' } },
      history: { quietUntilMs: 120_000 },
      atMs: 100_000,
      expected: 'now',
    },
    {
      name: 'another wait after 20 seconds',
      report: { ...report, progress: false, blocked: { reason: 'B', message: 'b' } },
      history: { ...written, report: { ...report, progress: false, blocked: { reason: 'A', message: 'b' } } },
      atMs: 101_000,
      expected: 19_000,
    },
  ])('$name', ({ report: next, history, atMs, expected }) => {
    const timing = reportTiming(next, history, { monotonicMs: atMs, progressDeadlineSeconds: 1_800 })
    expect(timing).toEqual(expected === 'now' ? { kind: 'now' } : { kind: 'in', delayMs: expected })
  })

  test.each([
    { name: 'every minute of 10', deadline: 600, expected: 60_000 },
    { name: 'every 3 minutes of 30', deadline: 1_800, expected: 180_000 },
    { name: 'every 3 minutes of 6 hours', deadline: 21_600, expected: 180_000 },
  ])('progress is shown $name', ({ deadline, expected }) => expect(heartbeatIntervalMs(deadline)).toBe(expected))
})

describe('what a report changes', () => {
  const blocked = { type: 'Blocked', status: 'True', reason: 'A', message: 'a', lastTransitionTime: now } as const
  const foreign = { ...blocked, type: 'Other' }
  const throttled = { kind: 'throttled' } as const
  test.each<{ name: string; status?: Partial<EvacuationStatus>; report: Report; expected: object }>([
    {
      name: 'the message and the progress',
      report,
      expected: { message: 'moving', evacuationProgressTimestamp: now },
    },
    {
      name: 'the progress alone',
      status: { message: 'moving' },
      report,
      expected: { evacuationProgressTimestamp: now },
    },
    {
      name: 'the expected finish',
      status: { message: 'moving' },
      report: { ...report, progress: false, expectedFinishMs: nowMs + 60_000 },
      expected: { expectedEvacuationFinishTime: '2026-01-01T12:01:00Z' },
    },
    {
      name: 'away with an expected finish that nobody can tell any more',
      status: { message: 'moving', expectedEvacuationFinishTime: now },
      report: { ...report, progress: false },
      expected: { expectedEvacuationFinishTime: null },
    },
    {
      name: 'the policy',
      status: { message: 'moving' },
      report: { ...report, progress: false, cancellation: 'Forbid' },
      expected: { evacuationCancellationPolicy: 'Forbid' },
    },
    {
      name: 'not the policy if it says nothing about it',
      status: { message: 'moving', evacuationCancellationPolicy: 'Forbid' },
      report: { ...report, progress: false },
      expected: {},
    },
    {
      name: 'the end',
      status: { message: 'moving' },
      report: { ...report, progress: false, completed: true },
      expected: { activeEvacuatorCompleted: true },
    },
    {
      name: 'the condition, beside those of others',
      status: { message: 'b', conditions: [foreign] },
      report: { message: 'b', progress: false, completed: false, blocked: { reason: 'B', message: 'b' } },
      expected: { conditions: [{ ...blocked, reason: 'B', message: 'b' }, foreign] },
    },
    {
      name: 'what blocks, for programs',
      status: { message: 'b' },
      report: {
        message: 'b',
        progress: false,
        completed: false,
        blocked: { reason: 'B', message: 'b', by: throttled },
      },
      expected: { conditions: [{ ...blocked, reason: 'B', message: 'b' }], blockedBy: [throttled] },
    },
    {
      name: 'words instead of what a program could read before',
      status: { message: 'b', conditions: [blocked], blockedBy: [throttled] },
      report: { message: 'b', progress: false, completed: false, blocked: { reason: 'B', message: 'b' } },
      expected: { conditions: [{ ...blocked, reason: 'B', message: 'b' }], blockedBy: null },
    },
    {
      name: 'nothing of a condition that says so already',
      status: { message: 'a', conditions: [blocked] },
      report: { message: 'a', progress: false, completed: false, blocked: { reason: 'A', message: 'a' } },
      expected: {},
    },
    {
      name: 'a condition that holds no more',
      status: { message: 'moving', conditions: [blocked] },
      report: { ...report, progress: false },
      expected: { conditions: [{ ...blocked, status: 'False', reason: 'Progressing', message: '' }] },
    },
    {
      name: 'a message cut to what fits',
      report: { ...report, progress: false, message: 'x'.repeat(40_000) },
      expected: { message: 'x'.repeat(32_768) },
    },
  ])('$name', ({ status, report: next, expected }) => {
    expect(statusChange({ ...newEvacuationStatus, ...status }, next, nowMs)).toEqual(expected)
  })
})

describe('an evacuator that can be cancelled at any time', () => {
  test.each<{ name: string; policy: 'Allow' | 'Forbid'; history: ReportHistory; expected: Report }>([
    {
      name: 'takes back with its first words what another one forbade',
      policy: 'Forbid',
      history: {},
      expected: { ...report, cancellation: 'Allow' },
    },
    { name: 'says nothing where nothing is forbidden', policy: 'Allow', history: {}, expected: report },
    { name: 'leaves alone what a user forbids later', policy: 'Forbid', history: { report }, expected: report },
  ])('$name', ({ policy, history, expected }) => {
    const status = { ...newEvacuationStatus, evacuationCancellationPolicy: policy }
    expect(allowingCancellation(report, history, status)).toEqual(expected)
  })

  test('and does not wait with that, though it may be quiet', () => {
    const said: Report = { ...report, cancellation: 'Allow' }
    const timing = { monotonicMs: 0, progressDeadlineSeconds: 600 }
    expect(reportTiming(said, { quietUntilMs: 20_000 }, timing)).toEqual({ kind: 'now' })
  })
})
