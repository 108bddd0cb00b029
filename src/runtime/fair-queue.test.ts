import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AssertionError } from './assert.ts'
import { FairQueue } from './fair-queue.ts'

function filled(options: { max: number; keepsRoom: boolean }, groups: Record<string, number>): FairQueue<string> {
  const queue = new FairQueue<string>(options)
  for (const [group, count] of Object.entries(groups)) {
    for (let at = 1; at <= count; at++) queue.push(group, `${group}${at}`)
  }
  return queue
}

function takeAll(queue: FairQueue<string>): string[] {
  const taken: string[] = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) taken.push(next.item)
  return taken
}

describe('a fair queue', () => {
  test('gives the groups their turns, and within a group keeps the order', () => {
    const queue = filled({ max: 6, keepsRoom: false }, { a: 4, b: 1, c: 2 })
    expect(takeAll(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
    expect([queue.running, queue.waiting]).toEqual([6, 1])
  })

  test('lets one group have all places if it keeps no room', () => {
    expect(takeAll(filled({ max: 3, keepsRoom: false }, { a: 9 }))).toEqual(['a1', 'a2', 'a3'])
  })

  test.each([
    { name: 'half for a slow group', before: { a: 50 }, taken: { a: 8 } },
    { name: 'a quarter for a second one', before: { a: 50, b: 0 }, later: { b: 50 }, taken: { a: 8, b: 4 } },
    {
      name: 'and still a place for each of three more',
      before: { a: 50 },
      later: { c: 1, d: 1, e: 1 },
      taken: { a: 8, c: 1, d: 1, e: 1 },
    },
    { name: 'the same for groups that come together', before: { a: 50, b: 50 }, taken: { a: 6, b: 5 } },
  ])('keeps room: $name', ({ before, later = {}, taken }) => {
    const queue = filled({ max: 16, keepsRoom: true }, before)
    const items = takeAll(queue)
    for (const [group, count] of Object.entries(later)) {
      for (let at = 1; at <= count; at++) queue.push(group, `${group}${at}`)
    }
    const groups = [...items, ...takeAll(queue)].map((item) => item.slice(0, 1))
    expect(
      Object.fromEntries(
        Map.groupBy(groups, (group) => group)
          .entries()
          .map(([group, all]) => [group, all.length]),
      ),
    ).toEqual(taken)
  })

  test('one place is enough for everything, one at a time', () => {
    const queue = filled({ max: 1, keepsRoom: true }, { a: 2, b: 1 })
    const order: string[] = []
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      order.push(next.item)
      expect(queue.take()).toBeUndefined()
      queue.done(next.group)
    }
    expect(order).toEqual(['a1', 'b1', 'a2'])
  })

  test('who leaves is not taken, and leaves once', () => {
    const queue = new FairQueue<string>({ max: 5, keepsRoom: false })
    const place = queue.push('a', 'gone')
    queue.push('a', 'stays')
    expect([place.leave(), place.leave(), queue.waiting]).toEqual([true, false, 1])
    expect(takeAll(queue)).toEqual(['stays'])
  })

  test('who was taken does not leave', () => {
    const queue = new FairQueue<string>({ max: 1, keepsRoom: false })
    const place = queue.push('a', 'one')
    queue.take()
    expect([place.leave(), queue.waiting, queue.running]).toEqual([false, 0, 1])
  })

  test('a place of a line that was cleared is no place in the next one', () => {
    const queue = new FairQueue<string>({ max: 1, keepsRoom: false })
    const place = queue.push('a', 'before')
    queue.clear()
    queue.push('a', 'after')
    place.leave()
    expect([queue.waiting, takeAll(queue)]).toEqual([1, ['after']])
  })

  test('only what runs is done', () => {
    expect(() => new FairQueue({ max: 1, keepsRoom: false }).done('a')).toThrow(AssertionError)
  })

  test.each([0, -1, 1.5, Number.NaN])('refuses %d places', (max) => {
    expect(() => new FairQueue({ max, keepsRoom: false })).toThrow(AssertionError)
  })

  test('takes all in the end, never more at once than it may, and a new group never waits for slow ones', () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant('done')), { maxLength: 200 })
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 9 }), steps, (max, all) => {
        const queue = new FairQueue<number>({ max, keepsRoom: true })
        const running: string[] = []
        const taken: number[] = []
        const pump = () => {
          for (let next = queue.take(); next !== undefined; next = queue.take()) {
            running.push(next.group)
            taken.push(next.item)
          }
        }
        let pushed = 0
        for (const step of all) {
          const [first] = running
          if (step !== 'done') queue.push(step, pushed++)
          else if (first !== undefined) queue.done(running.shift() ?? first)
          pump()
          expect(running.length).toBeLessThanOrEqual(max)
          expect(queue.running).toBe(running.length)
          for (const group of running) expect(running.filter((other) => other === group).length).toBeLessThan(max)
        }
        for (let group = running.shift(); group !== undefined; group = running.shift()) {
          queue.done(group)
          pump()
        }
        expect(taken.toSorted((one, other) => one - other)).toEqual(Array.from({ length: pushed }, (_, at) => at))
        expect([queue.waiting, queue.running]).toEqual([0, 0])
      }),
    )
  })
})
