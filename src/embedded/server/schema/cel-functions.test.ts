import { expect, test } from 'vitest'
import { compileCel, toCelValue } from './cel.ts'

test.each([
  ["'abc'.matches('^a')", true],
  ["matches('abc', 'd')", false],
  ["'ab--'.find('^.*[a-z]') == 'ab'", true],
  ["'x'.find('[0-9]') == ''", true],
  ["'a1b2'.findAll('[0-9]') == ['1', '2']", true],
  ["'a1b2'.findAll('[0-9]', 1) == ['1']", true],
  ["'aba'.replace('a', 'c') == 'cbc'", true],
  ["'abc'.charAt(1) == 'b'", true],
  ['[1, 2, 2].isSorted()', true],
  ["['b', 'a'].isSorted()", false],
  ['[1, 2].sum() == 3', true],
  ['[1.5, 2.0].sum() == 3.5', true],
  ['[3, 1, 2].min() == 1', true],
  ["['a', 'c'].max() == 'c'", true],
  ["['a', 'b', 'a'].indexOf('a') == 0", true],
  ["['a', 'b', 'a'].lastIndexOf('a') == 2", true],
  ["'a,b'.split(',') == ['a', 'b']", true],
  ["['a', 'b'].join('-') == 'a-b'", true],
  ["'ABC'.lowerAscii() == 'abc'", true],
  ["timestamp('2026-01-01T00:00:00Z') < timestamp('2026-01-02T00:00:00Z')", true],
  ["duration('90s') > duration('1m')", true],
  ["int('7') == 7 && string(7) == '7'", true],
  ['cel.bind(x, 2, x * x == 4)', true],
])('%s is %j', (expression, expected) => {
  expect(compileCel(expression, []).evaluate({})).toEqual({ kind: 'value', value: expected })
})

test('the least of nothing is an error', () => {
  const outcome = compileCel('self.min() == 1', ['self']).evaluate({ self: toCelValue([]) })
  expect(outcome).toEqual({ kind: 'error', message: 'min called on empty list', isOverLimit: false })
})
