import { expect, test } from 'vitest'
import { untilAborted } from './until-aborted.ts'

test('resolves when the signal aborts, and not before', async () => {
  const stop = new AbortController()
  let isOver = false
  const over = untilAborted(stop.signal).then(() => (isOver = true))
  await Promise.resolve()
  expect(isOver).toBe(false)
  stop.abort()
  await over
})

test('resolves at once for a signal that has aborted', async () => {
  await untilAborted(AbortSignal.abort())
})
