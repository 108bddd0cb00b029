import fc from 'fast-check'
import { expect, test } from 'vitest'
import { averageOf, isBalanced, transfersBetween, type DomainSizes } from './balance.ts'

const domains = (sizes: readonly number[]): DomainSizes => {
  const ascending = sizes.toSorted((one, other) => one - other)
  return { emptyCount: ascending.filter((size) => size === 0).length, occupied: ascending.filter((size) => size > 0) }
}

/** Ascending sizes before and after, and how many pods moved. */
function balance(sizes: readonly number[], maxSkew: number) {
  const before = sizes.toSorted((one, other) => one - other)
  const after = [...before]
  let moved = 0
  for (const { from, to, count } of transfersBetween(domains(sizes), maxSkew)) {
    after[from] = (after[from] ?? 0) - count
    after[to] = (after[to] ?? 0) + count
    moved += count
  }
  return { before, after, moved }
}

test.each([
  { sizes: [2, 1], maxSkew: 1, after: [1, 2], moved: 0 },
  { sizes: [3, 1], maxSkew: 1, after: [2, 2], moved: 1 },
  { sizes: [5, 2], maxSkew: 1, after: [3, 4], moved: 1 },
  { sizes: [4, 0], maxSkew: 1, after: [2, 2], moved: 2 },
  { sizes: [2, 6], maxSkew: 2, after: [3, 5], moved: 1 },
  { sizes: [0, 1, 3, 5], maxSkew: 1, after: [2, 2, 3, 2], moved: 3 },
  { sizes: [0, 1, 100], maxSkew: 1, after: [34, 33, 34], moved: 66 },
  { sizes: [8, 7, 0], maxSkew: 1, after: [5, 5, 5], moved: 5 },
  { sizes: [5, 5, 5], maxSkew: 1, after: [5, 5, 5], moved: 0 },
  { sizes: [2, 3, 4], maxSkew: 1, after: [3, 3, 3], moved: 1 },
  { sizes: [3, 3, 2, 0], maxSkew: 1, after: [2, 2, 2, 2], moved: 2 },
  { sizes: [4, 3, 1], maxSkew: 1, after: [2, 3, 3], moved: 1 },
  { sizes: [2], maxSkew: 1, after: [2], moved: 0 },
  // One round does not always suffice: the last domain that gives stops at the average.
  { sizes: [0, 0, 0, 9], maxSkew: 1, after: [3, 3, 1, 2], moved: 7 },
  { sizes: [0, 4, 4], maxSkew: 2, after: [1, 4, 3], moved: 1 },
])('domains of $sizes with a skew of $maxSkew: $moved pods move', ({ sizes, maxSkew, after, moved }) => {
  expect(balance(sizes, maxSkew)).toMatchObject({ after, moved })
})

test('of [8, 7, 0] the larger gives three and the other two', () => {
  expect(transfersBetween(domains([8, 7, 0]), 1)).toEqual([
    { from: 2, to: 0, count: 3 },
    { from: 1, to: 0, count: 2 },
  ])
})

test.each([
  { sizes: [2, 1], maxSkew: 1, expected: true },
  { sizes: [3, 1], maxSkew: 1, expected: false },
  { sizes: [0, 1], maxSkew: 1, expected: true },
  { sizes: [0, 2, 1], maxSkew: 1, expected: false },
  { sizes: [0, 2, 1], maxSkew: 2, expected: true },
  { sizes: [0, 0], maxSkew: 1, expected: true },
  { sizes: [7], maxSkew: 1, expected: true },
  { sizes: [], maxSkew: 1, expected: true },
])('domains of $sizes are balanced for a skew of $maxSkew: $expected', ({ sizes, maxSkew, expected }) => {
  expect(isBalanced(domains(sizes), maxSkew)).toBe(expected)
})

test('the average counts empty domains', () => {
  expect(averageOf(domains([0, 0, 3]))).toBe(1)
})

const drawnSizes = fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 2, maxLength: 8 })
const drawnSkew = fc.integer({ min: 1, max: 5 })
const rangeOf = (sizes: readonly number[]) => Math.max(...sizes) - Math.min(...sizes)

test('two domains always end within the skew', () => {
  fc.assert(
    fc.property(fc.tuple(fc.nat(40), fc.nat(40)), drawnSkew, (sizes, maxSkew) => {
      expect(rangeOf(balance(sizes, maxSkew).after)).toBeLessThanOrEqual(maxSkew)
    }),
  )
})

test('no domain gives below the average or takes above it, and the skew never grows', () => {
  fc.assert(
    fc.property(drawnSizes, drawnSkew, (sizes, maxSkew) => {
      const { before, after } = balance(sizes, maxSkew)
      const average = averageOf(domains(sizes))
      expect(rangeOf(after)).toBeLessThanOrEqual(rangeOf(before))
      for (const [index, size] of after.entries()) {
        const was = before[index] ?? 0
        if (size < was) expect(size).toBeGreaterThanOrEqual(Math.floor(average))
        if (size > was) expect(size).toBeLessThanOrEqual(Math.ceil(average))
      }
    }),
  )
})

test('round by round every skew is reached, and balanced domains are left alone', () => {
  fc.assert(
    fc.property(drawnSizes, drawnSkew, (sizes, maxSkew) => {
      let current: readonly number[] = sizes
      for (let round = 0; round < 30 && !isBalanced(domains(current), maxSkew); round += 1) {
        current = balance(current, maxSkew).after
      }
      expect(rangeOf(current)).toBeLessThanOrEqual(maxSkew)
      expect(balance(current, maxSkew).moved).toBe(0)
    }),
  )
})
