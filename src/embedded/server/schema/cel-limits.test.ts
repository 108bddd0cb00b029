import { expect, test } from 'vitest'
import { compileCel, toCelValue } from './cel.ts'
import { costLimitError, identifiersOf, limitVisits, renameMatches, VisitBudget } from './cel-limits.ts'

const numbers = (length: number) => toCelValue(Array.from({ length }, (_, index) => index))
const overLimit = { kind: 'error', message: costLimitError.message, isOverLimit: true }

test('one walk along a long list is fine', () => {
  expect(compileCel('self.all(x, x >= 0)', ['self']).evaluate({ self: numbers(100_000) })).toMatchObject({
    value: true,
  })
})

test.each([
  'self.all(x, self.all(y, x + y >= 0))',
  'self.map(x, self.map(y, y)).size() > 0',
  'self.all(x, self.all(y, self.all(z, x + y + z >= 0)))',
  'self.all(x, self.exists_one(y, x == y))',
  'self.filter(x, self.exists(y, y == -1)).size() == 0',
  'cel.bind(list, self.map(x, x), list.all(x, list.all(y, x + y >= 0)))',
])('%s over 100,000 items is cut short', (rule) => {
  const program = compileCel(rule, ['self'])
  const self = numbers(100_000)
  const startedMs = performance.now()
  expect(program.evaluate({ self })).toEqual(overLimit)
  expect(performance.now() - startedMs).toBeLessThan(5_000)
  // The next evaluation has a budget of its own.
  expect(program.evaluate({ self: numbers(3) }).kind).toBe('value')
})

test('a budget that is spent stays spent', () => {
  const budget = new VisitBudget()
  budget.take(250_000)
  expect(() => budget.take(1)).toThrow(costLimitError)
  expect(() => budget.take(0)).toThrow(costLimitError)
  budget.reset()
  expect(() => budget.take(1)).not.toThrow()
})

test('trees that are none are left alone', () => {
  for (const tree of [undefined, 'x', {}, []]) {
    expect(() => renameMatches(tree)).not.toThrow()
    expect(() => limitVisits(tree, new VisitBudget())).not.toThrow()
    expect(identifiersOf(tree).size).toBe(0)
  }
})
