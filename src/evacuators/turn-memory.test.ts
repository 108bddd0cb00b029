import { expect, test } from 'vitest'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { TurnMemories } from './turn-memory.ts'

const key = { namespace: 'shop', name: 'e' }
const hold = { key, uid: 'u' }
const evacuation = (metadata: Partial<Evacuation['metadata']> = {}): Evacuation => ({
  metadata: storedMeta({ ...key, uid: 'u', ...metadata }),
  spec: { podRef: { name: 'web', uid: 'p' }, progressDeadlineSeconds: 1_800 },
})

test('a turn is remembered as long as it is the same one', () => {
  const memories = new TurnMemories(new VirtualClock(), false)
  const first = memories.of(hold, 'step')
  expect(memories.of(hold, 'step')).toBe(first)
  expect(memories.of(hold, 'cancel')).not.toBe(first)
  expect(memories.of({ key, uid: 'another' }, 'cancel')).toMatchObject({ uid: 'another', started: false })
  const last = memories.of(hold, 'step')
  memories.forget(key)
  expect(memories.of(hold, 'step')).not.toBe(last)
})

test('who is sparing knows until when it may be quiet: longer, the more turns are on', async () => {
  const clock = new VirtualClock()
  await clock.advance(5_000)
  const memories = new TurnMemories(clock, true)
  const nowMs = clock.monotonicMs()
  expect(memories.of(hold, 'step').history).toEqual({ quietUntilMs: nowMs + 20_000 })
  const other = { ...hold, key: { ...key, name: 'other' } }
  expect(memories.of(other, 'step').history).toEqual({ quietUntilMs: nowMs + 20_100 })
  expect(new TurnMemories(clock, false).of(hold, 'step').history).toEqual({})
})

test('an eviction that was accepted has time to show, unless the evacuation is cancelled or another one', async () => {
  const clock = new VirtualClock()
  const memories = new TurnMemories(clock, false)
  expect(memories.evictionShowsInMs(key, evacuation())).toBe(0)
  memories.of(hold, 'step').evictedAtMs = clock.monotonicMs()
  await clock.advance(4_000)
  expect(memories.evictionShowsInMs(key, evacuation())).toBe(6_000)
  expect(memories.evictionShowsInMs(key, evacuation({ deletionTimestamp: '2026-01-01T00:00:00Z' }))).toBe(0)
  expect(memories.evictionShowsInMs(key, evacuation({ uid: 'another' }))).toBe(0)
  await clock.advance(6_000)
  expect(memories.evictionShowsInMs(key, evacuation())).toBe(0)
})
