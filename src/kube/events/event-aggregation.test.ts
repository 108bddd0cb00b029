import { expect, test } from 'vitest'

import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import type { ClusterEvent } from './cluster-event.ts'
import { EventAggregation } from './event-aggregation.ts'

function open() {
  const clock = new VirtualClock()
  const aggregation = new EventAggregation(clock, seededRandom(1).stream('names'))
  const observe = (note: string, change: Partial<ClusterEvent> & { uid?: string } = {}) => {
    const { uid = 'u1', ...rest } = change
    const about = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'cart-7', namespace: 'shop', uid } }
    return aggregation.observe({ about, type: 'Warning', reason: 'Refused', note, ...rest })
  }
  return { clock, observe }
}

test('the same again is the same Event, counted and dated', async () => {
  const { clock, observe } = open()
  const { state } = observe('no')
  const firstMs = clock.nowMs()
  await clock.advance(5_000)
  expect(observe('no').state).toBe(state)
  expect(state).toMatchObject({ count: 2, firstAtMs: firstMs, lastAtMs: firstMs + 5_000, message: 'no' })
})

test.each([
  { name: 'another message', note: 'never', change: {} },
  { name: 'another type', note: 'no', change: { type: 'Normal' as const } },
  { name: 'another reason', note: 'no', change: { reason: 'Other' } },
  { name: 'an object of another uid', note: 'no', change: { uid: 'u2' } },
])('$name is another Event', ({ note, change }) => {
  const { observe } = open()
  const first = observe('no').state
  const second = observe(note, change).state
  expect(second).not.toBe(first)
  expect(second.name).not.toBe(first.name)
})

test('ten different messages stand alone, the rest is combined into one with the latest message', () => {
  const { observe } = open()
  const alone = Array.from({ length: 10 }, (_, index) => observe(`message ${index}`).state)
  expect(new Set(alone).size).toBe(10)
  const eleventh = observe('message 10').state
  expect(eleventh.message).toBe('(combined from similar events): message 10')
  expect(observe('message 11').state).toBe(eleventh)
  expect(eleventh).toMatchObject({ message: '(combined from similar events): message 11', count: 2 })
  expect(observe('message 3').state).toBe(alone[3])
  expect(observe('other', { reason: 'Other' }).state.message).toBe('other')
})

test('after ten quiet minutes messages stand alone again', async () => {
  const { clock, observe } = open()
  for (let index = 0; index < 10; index++) observe(`message ${index}`)
  await clock.advance(600_000)
  expect(observe('late').state.message).toBe('(combined from similar events): late')
  await clock.advance(1)
  expect(observe('later').state.message).toBe('later')
})

test('a combined message keeps its prefix and its limit', () => {
  const { observe } = open()
  for (let index = 0; index < 10; index++) observe(`message ${index}`)
  const { message } = observe('x'.repeat(3_000)).state
  expect(message.startsWith('(combined from similar events): xxx')).toBe(true)
  expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1_024)
})

test('an object may be talked about 25 times, then once in five minutes; others are not held up', async () => {
  const { clock, observe } = open()
  const allowed = Array.from({ length: 30 }, () => observe('no').allowed)
  expect(allowed.filter(Boolean)).toHaveLength(25)
  expect(observe('no', { uid: 'u2' }).allowed).toBe(true)
  await clock.advance(299_000)
  expect(observe('no').allowed).toBe(false)
  await clock.advance(1_000)
  const { state, allowed: again } = observe('no')
  expect([again, state.count]).toEqual([true, 32])
})

test('memory is bounded: what was said long ago is forgotten', () => {
  const { observe } = open()
  const first = observe('no').state
  for (let index = 0; index < 4_096; index++) observe('no', { uid: `v${index}` })
  expect(observe('no').state).not.toBe(first)
})
