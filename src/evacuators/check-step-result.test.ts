import { describe, expect, test } from 'vitest'
import { checkStepResult } from './check-step-result.ts'
import type { StepResult } from './evacuator.ts'

const because = { reason: 'NoRoom', message: 'no room' }

describe('a result of an evacuator', () => {
  test.each<{ name: string; result: StepResult }>([
    { name: 'working with nothing else is one', result: { kind: 'working', message: '' } },
    {
      name: 'working with everything is one',
      result: { kind: 'working', message: 'x', againInMs: 0, expectedFinishMs: 1, cancellation: 'Forbid' },
    },
    { name: 'waiting with a reason is one', result: { kind: 'waiting', because } },
    {
      name: 'waiting with a blocker is one',
      result: { kind: 'waiting', because: { kind: 'throttled', pod: { namespace: 'a', name: 'b', uid: 'c' } } },
    },
    { name: 'completed is one', result: { kind: 'completed', message: 'done' } },
    { name: 'evict is one', result: { kind: 'evict' } },
  ])('$name', ({ result }) => expect(checkStepResult(result)).toBe(result))

  test.each([
    { name: 'nothing is none', result: undefined, says: 'kind undefined' },
    { name: 'an unknown kind is none', result: { kind: 'fine' }, says: 'kind fine' },
    { name: 'working without a message is none', result: { kind: 'working' }, says: 'message undefined' },
    {
      name: 'a time that is no number is refused',
      result: { kind: 'working', message: '', expectedFinishMs: Number.NaN },
      says: 'expectedFinishMs NaN',
    },
    {
      name: 'a delay without end is refused',
      result: { kind: 'waiting', because, againInMs: Number.POSITIVE_INFINITY },
      says: 'againInMs Infinity',
    },
    {
      name: 'a negative delay is refused',
      result: { kind: 'working', message: '', againInMs: -1 },
      says: 'againInMs -1',
    },
    {
      name: 'an unheard-of policy is refused',
      result: { kind: 'working', message: '', cancellation: 'Maybe' },
      says: 'cancellation Maybe: it must be Allow or Forbid',
    },
    {
      name: 'waiting without a message is refused',
      result: { kind: 'waiting', because: { reason: 'X' } },
      says: 'because',
    },
    { name: 'waiting for nothing is refused', result: { kind: 'waiting' }, says: 'because undefined' },
    { name: 'completed without a message is refused', result: { kind: 'completed' }, says: 'message undefined' },
  ])('$name', ({ result, says }) => {
    expect(() => checkStepResult(result as unknown as StepResult)).toThrow(`the result of the evacuator has ${says}`)
  })
})
