import { describe, expect, test } from 'vitest'
import { sleep } from '../runtime/clock.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { withHeartbeat } from './with-heartbeat.ts'

function setUp(options: { takesMs: number; forMs?: number; beatTakesMs?: number; fails?: boolean }) {
  const clock = new VirtualClock()
  const beatsAtMs: number[] = []
  let endedAtMs: number | undefined
  const beat = async () => {
    beatsAtMs.push(clock.monotonicMs())
    if (options.beatTakesMs !== undefined) await sleep(clock, options.beatTakesMs)
  }
  const work = async () => {
    await sleep(clock, options.takesMs)
    if (options.fails === true) throw new Error('failed')
    return 'done'
  }
  const outcome = withHeartbeat({ clock, everyMs: 100, forMs: options.forMs ?? 1_000, beat }, work)
    .catch((error: Error) => error.message)
    .finally(() => (endedAtMs = clock.monotonicMs()))
  return { clock, beatsAtMs, outcome, endedAtMs: () => endedAtMs }
}

describe('work with a heartbeat', () => {
  test.each([
    { name: 'beats as long as the work takes', takesMs: 350, beats: [100, 200, 300], result: 'done' },
    { name: 'does not beat for short work', takesMs: 50, beats: [], result: 'done' },
    { name: 'stops beating when it is taken for hung', takesMs: 900, forMs: 250, beats: [100, 200], result: 'done' },
    { name: 'does not beat where it may not', takesMs: 900, forMs: 0, beats: [], result: 'done' },
    { name: 'stops beating when the work fails', takesMs: 150, fails: true, beats: [100], result: 'failed' },
  ])('$name', async ({ beats, result, ...options }) => {
    const { clock, beatsAtMs, outcome } = setUp(options)
    await clock.advance(5_000)
    expect(await outcome).toBe(result)
    expect(beatsAtMs).toEqual(beats)
    expect(clock.pendingTimers).toBe(0)
  })

  test('waits for a beat that is under way', async () => {
    const { clock, endedAtMs } = setUp({ takesMs: 120, beatTakesMs: 50 })
    await clock.advance(1_000)
    expect(endedAtMs()).toBe(150)
  })
})
