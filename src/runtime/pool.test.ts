import { expect, test } from 'vitest'
import { Pool } from './pool.ts'

test('what looks the same is the same object', () => {
  const pool = new Pool<{ readonly labels: object }>()
  const one = pool.share([{ app: 'web' }], () => ({ labels: { app: 'web' } }))
  const again = pool.share([{ app: 'web' }], () => ({ labels: { app: 'web' } }))
  const other = pool.share([{ app: 'db' }], () => ({ labels: { app: 'db' } }))
  expect(again).toBe(one)
  expect(other).not.toBe(one)
  expect(pool.size).toBe(2)
  expect(pool.keyOf(one)).not.toBe(pool.keyOf(other))
  expect(pool.keyOf({ labels: {} })).toBeUndefined()
})
