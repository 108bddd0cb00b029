import { expect, test } from 'vitest'
import * as fault from './fault.ts'

test.each([
  [fault.invalidValue('a', 'x', 'no'), 'Invalid', 'Invalid value: "x": no'],
  [fault.invalidValue('a', 0, 'no'), 'Invalid', 'Invalid value: 0: no'],
  [fault.invalidValue('a', { b: 1, a: '<' }, 'no'), 'Invalid', String.raw`Invalid value: {"a":"\u003c","b":1}: no`],
  [fault.invalidWithoutValue('a', 'no'), 'Invalid', 'Invalid value: no'],
  [fault.wrongType('a', 'string', 'no'), 'TypeInvalid', 'Invalid value: "string": no'],
  [fault.requiredValue('a'), 'Required', 'Required value'],
  [fault.requiredValue('a', 'why'), 'Required', 'Required value: why'],
  [fault.forbiddenField('a', 'why'), 'Forbidden', 'Forbidden: why'],
  [fault.duplicateValue('a', { k: 'x' }), 'Duplicate', 'Duplicate value: {"k":"x"}'],
  [fault.unsupportedValue('a', 'x', ['A', 1]), 'NotSupported', 'Unsupported value: "x": supported values: "A", "1"'],
  [fault.tooLong('a', 63), 'TooLong', 'Too long: may not be more than 63 bytes'],
  [fault.tooLong('a', 1), 'TooLong', 'Too long: may not be more than 1 byte'],
  [fault.tooMany('a', 3, 2), 'TooMany', 'Too many: 3: must have at most 2 items'],
])('%j', (found, kind, message) => {
  expect(found).toEqual({ field: 'a', kind, message })
})

test('JSON has its keys in order at every depth', () => {
  expect(fault.goJson([{ b: { d: 1, c: 2 }, a: null }])).toBe('[{"a":null,"b":{"c":2,"d":1}}]')
})
