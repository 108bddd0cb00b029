import fc from 'fast-check'
import { expect, test } from 'vitest'

import { seededRandom, type RandomStream } from './random.ts'

const draw = (stream: RandomStream, count = 20) => Array.from({ length: count }, () => stream.next())

test('the same seed and name give the same numbers', () => {
  fc.assert(
    fc.property(fc.integer(), fc.string(), (seed, name) => {
      expect(draw(seededRandom(seed).stream(name))).toEqual(draw(seededRandom(seed).stream(name)))
    }),
  )
})

test('numbers are at least 0 and below 1', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) =>
      draw(seededRandom(seed).stream('any')).every((value) => value >= 0 && value < 1),
    ),
  )
})

test('draws from one stream leave the others as they were', () => {
  const alone = draw(seededRandom(7).stream('b'))
  const random = seededRandom(7)
  draw(random.stream('a'), 1_000)
  expect(draw(random.stream('b'))).toEqual(alone)
})

test.each([
  { name: 'other seeds', one: seededRandom(1).stream('x'), other: seededRandom(2).stream('x') },
  { name: 'other names', one: seededRandom(1).stream('x'), other: seededRandom(1).stream('y') },
])('$name give other numbers', ({ one, other }) => {
  expect(draw(one)).not.toEqual(draw(other))
})

test('numbers spread evenly over ten tenths', () => {
  const counts = Array.from({ length: 10 }, () => 0)
  for (const value of draw(seededRandom(42).stream('spread'), 10_000)) {
    const tenth = Math.floor(value * 10)
    counts[tenth] = (counts[tenth] ?? 0) + 1
  }
  expect(Math.min(...counts)).toBeGreaterThan(850)
  expect(Math.max(...counts)).toBeLessThan(1_150)
})
