import { expect, test } from 'vitest'

import { assert, AssertionError } from './assert.ts'

test('says nothing about what holds', () => {
  expect(() => assert(true, 'one is one')).not.toThrow()
})

test('throws an AssertionError that names what did not hold', () => {
  expect(() => assert(false, 'targets never go back')).toThrow(AssertionError)
  expect(() => assert(false, 'targets never go back')).toThrow('targets never go back')
})

test('narrows the type of what it checked', () => {
  const value = [1, undefined][0]
  assert(value !== undefined, 'there is a first one')
  expect(value.toFixed(1)).toBe('1.0')
})
