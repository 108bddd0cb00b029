import { expect, test } from 'vitest'
import { lookUntil } from './look-until.ts'
import { VirtualClock } from './virtual-clock.ts'

function looking({ thereAtMs, withinMs = 1_000 }: { readonly thereAtMs: number; readonly withinMs?: number }) {
  const clock = new VirtualClock()
  const stop = new AbortController()
  const startedMs = clock.monotonicMs()
  const looks: number[] = []
  const found = lookUntil({ clock, withinMs, everyMs: 300, signal: stop.signal }, async () => {
    const atMs = clock.monotonicMs() - startedMs
    looks.push(atMs)
    return atMs >= thereAtMs ? `there at ${atMs}` : undefined
  })
  return { clock, stop, looks, found }
}

test.each([
  { name: 'what is there at once is found without waiting', thereAtMs: 0, expected: 'there at 0', looks: [0] },
  {
    name: 'what comes later is found at the next look',
    thereAtMs: 400,
    expected: 'there at 600',
    looks: [0, 300, 600],
  },
  {
    name: 'what does not come is given up, after a last look when the time is up',
    thereAtMs: Number.POSITIVE_INFINITY,
    expected: undefined,
    looks: [0, 300, 600, 900, 1_200],
  },
])('$name', async ({ thereAtMs, expected, looks }) => {
  const ground = looking({ thereAtMs })
  await ground.clock.advance(10_000)
  expect(await ground.found).toBe(expected)
  expect(ground.looks).toEqual(looks)
})

test('whoever no longer wants to know ends it', async () => {
  const { clock, stop, found } = looking({ thereAtMs: Number.POSITIVE_INFINITY })
  await clock.advance(100)
  stop.abort(new Error('enough'))
  await expect(found).rejects.toThrow('enough')
})
