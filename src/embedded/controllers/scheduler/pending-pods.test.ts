import { expect, test } from 'vitest'
import { PendingPods } from './pending-pods.ts'

const drain = (pending: PendingPods) => {
  const keys: string[] = []
  for (let key = pending.next(); key !== undefined; key = pending.next()) keys.push(key)
  return keys
}

test('the more important come first, among equals those who came first', () => {
  const pending = new PendingPods()
  for (const [key, priority] of [
    ['a', 0],
    ['b', 10],
    ['c', 0],
    ['d', -5],
    ['e', 10],
  ] as const)
    pending.add(key, priority)
  expect(pending.size).toBe(5)
  expect(drain(pending)).toEqual(['b', 'e', 'a', 'c', 'd'])
  expect(pending.size).toBe(0)
})

test('nobody is in line twice, and who left is not called', () => {
  const pending = new PendingPods()
  pending.add('a', 0)
  pending.add('a', 0)
  pending.add('b', 0)
  pending.add('b', 5)
  pending.add('c', 0)
  pending.remove('c')
  expect(drain(pending)).toEqual(['b', 'a'])
})
