import { expect, test } from 'vitest'
import { seededRandom } from '../../runtime/random.ts'
import { sortInSteps } from './sort-in-steps.ts'

interface Item {
  readonly rank: number
  readonly index: number
}

function sorted(count: number): {
  readonly items: readonly Item[]
  readonly result: readonly Item[]
  readonly breaths: number
} {
  const draw = seededRandom(count).stream('items')
  const items = Array.from({ length: count }, (_, index) => ({ rank: Math.floor(draw.next() * 500), index }))
  const steps = sortInSteps(items, (one, other) => one.rank - other.rank)
  for (let breaths = 0; ; breaths++) {
    const next = steps.next()
    if (next.done === true) return { items, result: next.value, breaths }
  }
}

test.each([0, 1, 2, 3_999, 4_000, 4_001, 8_001, 20_000, 33_333])('%i items come out as from toSorted', (count) => {
  const { items, result } = sorted(count)
  expect(result).toEqual(items.toSorted((one, other) => one.rank - other.rank))
})

test('it takes breaths as often as the list is long', () => {
  expect(sorted(20_000).breaths).toBeGreaterThan(10)
})
