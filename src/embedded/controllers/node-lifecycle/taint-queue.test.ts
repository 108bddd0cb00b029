import { expect, test } from 'vitest'
import { TaintQueue } from './taint-queue.ts'

const filled = () => {
  const queue = new TaintQueue()
  for (const node of ['one', 'two', 'three']) queue.add(node)
  return queue
}

test('the first goes at once, the next ten seconds later each', () => {
  const queue = filled()
  expect(queue.take(0)).toBe('one')
  expect(queue.take(0)).toBeUndefined()
  expect(queue.nextAtMs()).toBe(10_000)
  expect(queue.take(9_999)).toBeUndefined()
  expect(queue.take(10_000)).toBe('two')
  expect(queue.take(25_000)).toBe('three')
  expect(queue.nextAtMs()).toBeUndefined()
})

test('turns that nobody took are not saved up', () => {
  const queue = filled()
  expect([queue.take(60_000), queue.take(60_000)]).toEqual(['one', undefined])
})

test('one that is taken out has no turn, and one that is added twice has one', () => {
  const queue = filled()
  queue.remove('one')
  queue.add('two')
  expect([queue.take(0), queue.take(10_000), queue.take(20_000)]).toEqual(['two', 'three', undefined])
})

test('a pace of nothing lets nobody pass, and the next one begins with a pause', () => {
  const queue = filled()
  queue.setRate(0, 0)
  expect([queue.take(60_000), queue.nextAtMs()]).toEqual([undefined, undefined])
  queue.setRate(0.1, 60_000)
  expect([queue.take(60_000), queue.take(70_000)]).toEqual([undefined, 'one'])
})

test('a slower pace begins with a pause only where one had to wait', () => {
  const queue = filled()
  queue.setRate(0.01, 0)
  expect(queue.take(0)).toBe('one')
  queue.setRate(0.1, 5_000)
  expect([queue.take(14_999), queue.take(15_000)]).toEqual([undefined, 'two'])
})
