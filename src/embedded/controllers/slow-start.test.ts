import { expect, test } from 'vitest'
import { slowStart } from './slow-start.ts'

test.each([
  { count: 0, failsFrom: Infinity, tried: 0 },
  { count: 10, failsFrom: Infinity, tried: 10 },
  { count: 600, failsFrom: Infinity, tried: 500 },
  { count: 100, failsFrom: 0, tried: 1 },
  { count: 100, failsFrom: 3, tried: 7 },
])('of $count, failing from the one at $failsFrom, $tried are tried', async ({ count, failsFrom, tried }) => {
  const indexes: number[] = []
  const failure = await slowStart(count, async (index) => {
    indexes.push(index)
    if (index >= failsFrom) throw new Error(`no ${index}`)
  })
  expect(indexes).toEqual(Array.from({ length: tried }, (_, index) => index))
  expect(failure === undefined).toBe(failsFrom === Infinity)
})
