import { expect, test } from 'vitest'
import { byAge } from './standing.ts'

test('the oldest is first, and of one age the one whose name is', () => {
  const of = (name: string, createdMs: number) => ({ name, createdMs, plan: [] })
  const sorted = [of('c', 2), of('b', 1), of('a', 2)].toSorted(byAge)
  expect(sorted.map(({ name }) => name)).toEqual(['b', 'a', 'c'])
})
