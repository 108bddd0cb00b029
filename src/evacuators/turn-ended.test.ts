import { describe, expect, test } from 'vitest'
import { newEvacuationStatus, type Evacuation } from '../api/evacuation/evacuation.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { TurnEnded, turnEndOf } from './turn-ended.ts'

const turn = { uid: 'e', evacuatorClass: 'ours.example.com' }
const evacuation: Evacuation = {
  metadata: storedMeta({ namespace: 'shop', uid: 'e' }),
  spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 },
  status: { ...newEvacuationStatus, activeEvacuatorClass: 'ours.example.com' },
}
const { status: _status, ...withoutStatus } = evacuation

describe('a turn', () => {
  test.each([
    { name: 'goes on while the class is active', now: evacuation, expected: undefined },
    { name: 'ends with the Evacuation', now: undefined, expected: 'gone' },
    {
      name: 'ends with the Evacuation also where another one has its name',
      now: { ...evacuation, metadata: { ...evacuation.metadata, uid: 'f' } },
      expected: 'gone',
    },
    {
      name: 'ends when it is cancelled',
      now: { ...evacuation, metadata: { ...evacuation.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      expected: 'cancelled',
    },
    {
      name: 'ends when another class is active',
      now: { ...evacuation, status: { ...newEvacuationStatus, activeEvacuatorClass: 'other' } },
      expected: 'handedOver',
    },
    { name: 'ends when no class is active', now: withoutStatus, expected: 'handedOver' },
    {
      name: 'ends when it is marked as completed',
      now: {
        ...evacuation,
        status: { ...newEvacuationStatus, activeEvacuatorClass: turn.evacuatorClass, activeEvacuatorCompleted: true },
      },
      expected: 'completed',
    },
  ])('$name', ({ now, expected }) => expect(turnEndOf(now, turn)).toBe(expected))

  test('says why in words too', () => {
    expect(new TurnEnded('cancelled')).toMatchObject({ why: 'cancelled', message: 'the Evacuation was cancelled' })
  })
})
