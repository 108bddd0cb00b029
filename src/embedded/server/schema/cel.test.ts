import { describe, expect, test } from 'vitest'
import { CelCompileError, compileCel, toCelValue } from './cel.ts'

const evaluate = (expression: string, self: unknown) =>
  compileCel(expression, ['self']).evaluate({ self: toCelValue(self) })

test.each<[string, unknown, unknown]>([
  ['has(self.a)', {}, false],
  ['has(self.a) && self.a == 1', { a: 1 }, true],
  ["self.all(k, k.startsWith('x'))", { xa: 1, xb: 2 }, true],
  ["'a' in self", { a: 1 }, true],
  ["self in ['a', 'b']", 'b', true],
  ['self == 1.5', 1.5, true],
  ['self.size() == 2', [1, 2], true],
  ["self.?a.orValue('none') == 'none'", {}, true],
  ['self == null', null, true],
])('%s on %j is %j', (expression, self, value) => {
  expect(evaluate(expression, self)).toEqual({ kind: 'value', value })
})

test.each<[string, unknown, string]>([
  ['self.a.b == 1', {}, 'no such key: a'],
  ['self.constructor == 1', {}, 'no such key: constructor'],
  ['self.__proto__ == 1', {}, 'no such key: __proto__'],
  ['self[3] == 1', [1], 'index out of bounds: 3'],
  ['1 / self == 1', 0, 'division by zero'],
  ['1 % self == 1', 0, 'modulus by zero'],
  ['self + 9223372036854775807 == 0', 1, 'integer overflow'],
  ["self.startsWith('x')", 1, 'no such overload'],
  ["'a'.matches(self)", '(', 'PatternError: error parsing regexp: missing closing ): `(`'],
])('%s on %j fails: %s', (expression, self, message) => {
  expect(evaluate(expression, self)).toEqual({ kind: 'error', message, isOverLimit: false })
})

describe('what does not compile', () => {
  test.each(['self +', 'self.unheardOf()', 'stranger == 1', '1 + true', `${'('.repeat(5_000)}1${')'.repeat(5_000)}`])(
    '%s',
    (expression) => {
      expect(() => compileCel(expression, ['self'])).toThrow(CelCompileError)
    },
  )
})

test('an expression knows which variables it uses', () => {
  const program = compileCel("object.oldObject == 'oldObject'", ['object', 'oldObject'])
  expect(program.uses('object')).toBe(true)
  expect(program.uses('oldObject')).toBe(false)
})

test('variables of a policy may be lazy', () => {
  const read: string[] = []
  const variables = {
    get cheap() {
      read.push('cheap')
      return true
    },
    get costly() {
      read.push('costly')
      return true
    },
  }
  const program = compileCel('variables.cheap || variables.costly', ['variables'])
  expect(program.evaluate({ variables })).toEqual({ kind: 'value', value: true })
  expect(read).not.toContain('costly')
})
