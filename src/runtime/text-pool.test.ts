import { expect, test } from 'vitest'
import { TextPool } from './text-pool.ts'

test('a text is held once, and one that is missing stays missing', () => {
  const pool = new TextPool()
  for (let at = 0; at < 100; at++) expect(pool.share(`node-${at % 3}`)).toBe(`node-${at % 3}`)
  expect(pool.size).toBe(3)
  expect(pool.share(undefined)).toBeUndefined()
})

test('it does not grow with all that it has ever seen', () => {
  const pool = new TextPool(10)
  for (let at = 0; at < 1_000; at++) expect(pool.share(`node-${at}`)).toBe(`node-${at}`)
  expect(pool.size).toBeLessThanOrEqual(10)
})
