import { describe, expect, test } from 'vitest'
import type { Blocker } from '../api/blocker/blocker.ts'
import { newEvacuationStatus, type EvacuationStatus } from '../api/evacuation/evacuation.ts'
import { blockedChange, blockedOf, cutMessage } from './blocked-condition.ts'

const nowMs = Date.UTC(2026, 0, 1, 12)
const [now, before] = ['2026-01-01T12:00:00Z', '2026-01-01T11:00:00Z'] as const
const pod = { namespace: 'shop', name: 'web-0', uid: 'u' }
const blocker: Blocker = { kind: 'budget', pod, budget: 'web', healthy: 1, needed: 1 }
const typed = { kind: 'budget', budget: 'web', healthy: 1, needed: 1 } as const
const message = 'shop/web-0 waits for budget web (1 healthy, 1 needed)'
const condition = { type: 'Blocked', reason: 'DisruptionBudget', message, lastTransitionTime: before }
const blocked = { ...condition, status: 'True' } as const
const unblocked = { ...condition, status: 'False', reason: 'Progressing', message: '' } as const
const theirs = { ...blocked, type: 'Migrating' } as const

const statusOf = (status: Partial<EvacuationStatus>) => ({ ...newEvacuationStatus, ...status })

describe('what blocks', () => {
  test.each<{ name: string; status: Partial<EvacuationStatus>; by: Blocker | undefined; expected: object }>([
    {
      name: 'is said with its reason, its words and as data',
      status: { conditions: [theirs] },
      by: blocker,
      expected: { conditions: [{ ...blocked, lastTransitionTime: now }, theirs], blockedBy: [typed] },
    },
    {
      name: 'is not said again',
      status: { conditions: [blocked], blockedBy: [typed] },
      by: blocker,
      expected: {},
    },
    {
      name: 'has other numbers: news, but no transition',
      status: { conditions: [blocked], blockedBy: [typed] },
      by: { ...blocker, needed: 2 },
      expected: {
        conditions: [{ ...blocked, message: 'shop/web-0 waits for budget web (1 healthy, 2 needed)' }],
        blockedBy: [{ ...typed, needed: 2 }],
      },
    },
    {
      name: 'blocks no more',
      status: { conditions: [blocked, theirs], blockedBy: [typed] },
      by: undefined,
      expected: { conditions: [{ ...unblocked, lastTransitionTime: now }, theirs], blockedBy: null },
    },
    { name: 'never blocked', status: {}, by: undefined, expected: {} },
    { name: 'blocks no more, as is said already', status: { conditions: [unblocked] }, by: undefined, expected: {} },
  ])('$name', ({ status, by, expected }) => {
    expect(blockedChange(statusOf(status), by === undefined ? undefined : blockedOf(by), nowMs)).toEqual(expected)
  })

  test('a reason of an evacuator of others takes the place of what was said as data', () => {
    const change = blockedChange(
      statusOf({ conditions: [blocked], blockedBy: [typed] }),
      { reason: 'Throttled', message: 'm' },
      nowMs,
    )
    expect(change).toEqual({ conditions: [{ ...blocked, reason: 'Throttled', message: 'm' }], blockedBy: null })
  })
})

test('a message that the schema would refuse is cut', () => {
  expect(cutMessage('x'.repeat(40_000))).toHaveLength(32_768)
})
