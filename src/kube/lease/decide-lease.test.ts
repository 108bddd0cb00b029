import { describe, expect, test } from 'vitest'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import {
  buildHeldSpec,
  buildReleasedLease,
  decideLease,
  isRenewedByAnother,
  observeLease,
  type LeaseView,
} from './decide-lease.ts'

const lease = (holderIdentity: string, resourceVersion = '1'): Lease => ({
  metadata: { namespace: 'lifeboat', name: 'leader', uid: 'u', resourceVersion },
  spec: { holderIdentity, leaseDurationSeconds: 15, leaseTransitions: 4, acquireTime: 'earlier', renewTime: 'earlier' },
})
const view = (held: Lease | undefined): LeaseView => ({ lease: held, unchangedSinceMs: 1_000, isStale: false })

describe('decideLease', () => {
  test.each([
    { name: 'creates a lease that is not there', held: undefined, nowMs: 1_000, expected: { kind: 'create' } },
    { name: 'renews its own', held: lease('me'), nowMs: 1_000, expected: { kind: 'renew' } },
    {
      name: 'renews its own though it ran out, if nobody took it',
      held: lease('me'),
      nowMs: 99_000,
      expected: { kind: 'renew' },
    },
    { name: 'takes a free one at once', held: lease(''), nowMs: 1_000, expected: { kind: 'take' } },
    {
      name: 'waits for a holder who renews',
      held: lease('other'),
      nowMs: 15_999,
      expected: { kind: 'wait', holder: 'other', untilMs: 16_000 },
    },
    { name: 'takes over from one who does not', held: lease('other'), nowMs: 16_000, expected: { kind: 'take' } },
  ])('$name', ({ held, nowMs, expected }) => {
    expect(decideLease(view(held), 'me', nowMs)).toEqual(expected)
  })
})

describe('observeLease', () => {
  test('counts from when the lease last changed, not from when it was last looked at', () => {
    expect(observeLease(view(lease('other')), lease('other'), 9_000).unchangedSinceMs).toBe(1_000)
    expect(observeLease(view(lease('other')), lease('other', '2'), 9_000).unchangedSinceMs).toBe(9_000)
  })

  test('gives a lease seen for the first time its full term', () => {
    expect(observeLease(view(undefined), lease('other'), 9_000).unchangedSinceMs).toBe(9_000)
  })
})

describe('isRenewedByAnother', () => {
  test.each([
    { name: 'another renewed it', before: lease('other'), seen: lease('other', '2'), expected: true },
    { name: 'another took it over', before: lease('third'), seen: lease('other', '2'), expected: true },
    { name: 'another took it when it was free', before: lease(''), seen: lease('other', '2'), expected: true },
    { name: 'another has it, who may be dead', before: lease('other'), seen: lease('other'), expected: false },
    { name: 'another has it at the first look', before: undefined, seen: lease('other'), expected: false },
    { name: 'another let it go', before: lease('other'), seen: lease('', '2'), expected: false },
    { name: 'it is our own', before: lease('other'), seen: lease('me', '2'), expected: false },
    { name: 'it is gone', before: lease('other'), seen: undefined, expected: false },
  ])('$name: $expected', ({ before, seen, expected }) => {
    expect(isRenewedByAnother(view(before), observeLease(view(before), seen, 9_000), 'me')).toBe(expected)
  })
})

describe('the written lease', () => {
  const holder = { namespace: 'lifeboat', name: 'leader', identity: 'me', leaseMs: 15_000 }
  const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 6)
  const now = '2026-01-02T03:04:05.006000Z'

  test('counts a change of hands', () => {
    expect(buildHeldSpec(lease('other'), holder, nowMs)).toEqual({
      holderIdentity: 'me',
      leaseDurationSeconds: 15,
      leaseTransitions: 5,
      acquireTime: now,
      renewTime: now,
    })
  })

  test('a renewal keeps the time of acquisition', () => {
    const renewed = buildHeldSpec(lease('me'), holder, nowMs)
    expect(renewed).toMatchObject({ leaseTransitions: 4, acquireTime: 'earlier', renewTime: now })
  })

  test('a release names nobody', () => {
    expect(buildReleasedLease(lease('me'), nowMs).spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
  })
})
