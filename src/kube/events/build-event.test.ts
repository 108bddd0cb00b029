import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { buildEvent, buildEventPatch, cutNote, cutReason, eventName, type EventState } from './build-event.ts'

const subject = {
  apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
  kind: 'Evacuation',
  metadata: { name: 'cart-7', namespace: 'shop', uid: 'u1', resourceVersion: '42' },
}
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1', uid: 'u2' } }
const reporter = { component: 'lifeboat', instance: 'lifeboat-0' }
const startMs = Date.UTC(2026, 0, 1)
const state = (change: Partial<EventState> = {}): EventState => ({
  name: 'cart-7.1',
  subject,
  type: 'Warning',
  reason: 'EvictionRefused',
  firstAtMs: startMs,
  lastAtMs: startMs + 90_500,
  message: 'budget cart needs 2',
  count: 3,
  ...change,
})

test('says about whom, what, who, how often and when', () => {
  expect(buildEvent(state(), reporter)).toEqual({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'cart-7.1', namespace: 'shop' },
    involvedObject: {
      apiVersion: 'evacuation.coordination.k8s.io/v1alpha1',
      kind: 'Evacuation',
      namespace: 'shop',
      name: 'cart-7',
      uid: 'u1',
      resourceVersion: '42',
    },
    type: 'Warning',
    reason: 'EvictionRefused',
    message: 'budget cart needs 2',
    count: 3,
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:01:30Z',
    source: { component: 'lifeboat', host: 'lifeboat-0' },
    reportingComponent: 'lifeboat',
    reportingInstance: 'lifeboat-0',
  })
})

test('about something in no namespace it goes to default, without claiming one for it', () => {
  const event = buildEvent(state({ subject: node }), reporter)
  expect(event.metadata.namespace).toBe('default')
  expect(event.involvedObject).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u2' })
})

test('a patch holds what changed', () => {
  expect(buildEventPatch(state())).toEqual({
    count: 3,
    lastTimestamp: '2026-01-01T00:01:30Z',
    message: 'budget cart needs 2',
  })
})

describe('names', () => {
  const named = (name: string) => ({ ...node, metadata: { name, uid: 'u' } })

  test('are the subject and its nanoseconds in hex', () => {
    expect(eventName(node, startMs, 0)).toBe(`n1.${(BigInt(startMs) * 1_000_000n).toString(16)}`)
    expect(eventName(node, startMs, 0.5)).not.toBe(eventName(node, startMs, 0.25))
  })

  test.each([
    { name: 'system:node', prefix: 'event' },
    { name: 'UPPER', prefix: 'event' },
    { name: '', prefix: 'event' },
    { name: 'a.b-c', prefix: 'a.b-c' },
    { name: 'a'.repeat(253), prefix: 'a'.repeat(236) },
    { name: `${'a'.repeat(235)}-bbb`, prefix: 'a'.repeat(235) },
  ])('of $name begin with $prefix', ({ name, prefix }) => {
    expect(eventName(named(name), startMs, 0)).toMatch(new RegExp(`^${prefix}\\.[0-9a-f]{16}$`, 'u'))
  })

  test('are valid whatever the subject is called', () => {
    const names = fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9.-]{0,253}$/u))
    fc.assert(
      fc.property(names, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (name, lot) => {
        const made = eventName(named(name), startMs, lot)
        expect(made.length).toBeLessThanOrEqual(253)
        expect(made).toMatch(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u)
      }),
    )
  })
})

describe('long texts', () => {
  test('are cut to what the server takes, never in the middle of a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 2_000, size: 'max' }), (text) => {
        const cut = cutNote(text)
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(1_024)
        expect(cut.isWellFormed()).toBe(true)
        if (Buffer.byteLength(text) <= 1_024) expect(cut).toBe(text)
        else expect(text.startsWith(cut.slice(0, -1)) && cut.endsWith('…')).toBe(true)
      }),
    )
  })

  test('a note fills its limit', () => {
    expect(cutNote('x'.repeat(1_024))).toBe('x'.repeat(1_024))
    expect(cutNote('x'.repeat(1_025))).toBe(`${'x'.repeat(1_021)}…`)
  })

  test('a reason has a shorter one', () => {
    expect(Buffer.byteLength(cutReason('R'.repeat(200)))).toBe(128)
  })
})
