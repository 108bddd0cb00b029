import { expect, test } from 'vitest'
import { mergeLists, orderLike, overwritten, removeFromList } from './merge-lists.ts'

const named = (names: string) => Array.from(names, (name) => ({ name }))
const merging = { mergeKey: 'name', mergeItem: (one: object, other: object) => ({ ...one, ...other }) }
const names = (list: unknown[]) => list.map((item) => (item as { name: string }).name).join('')

test.each([
  ['abc', 'b', 'abc'],
  ['abc', 'd', 'dabc'],
  ['abc', 'ca', 'bca'],
  ['abc', 'xb', 'xabc'],
  ['', 'ab', 'ab'],
  ['ab', '', 'ab'],
])('%s merged with %s is %s', (current, change, expected) => {
  expect(names(mergeLists(named(current), named(change), merging))).toBe(expected)
})

test('an item keeps what the patch does not name', () => {
  expect(mergeLists([{ name: 'a', x: 1 }], [{ name: 'a', y: 2 }], merging)).toEqual([{ name: 'a', x: 1, y: 2 }])
})

test('directives among the items delete one or replace all', () => {
  expect(names(mergeLists(named('abc'), [{ name: 'b', $patch: 'delete' }], merging))).toBe('ac')
  expect(names(mergeLists(named('abc'), [{ name: 'x' }, { $patch: 'replace' }], merging))).toBe('x')
})

test('primitives merge as a set', () => {
  expect(mergeLists(['a', 'b'], ['c', 'b'], { ...merging, mergeKey: '' })).toEqual(['c', 'a', 'b'])
  expect(removeFromList(['a', 'b', 'c'], ['b', 'x'])).toEqual(['a', 'c'])
})

test.each([
  [[{ x: 1 }], 'does not contain declared merge key: name'],
  [[{ name: 'a', $patch: 'merge' }], 'merging lists cannot yet be specified in the patch'],
  [[{ name: 'a', $patch: 'explode' }], 'unknown patch type: explode'],
  [[[]], 'rejected our request'],
  [['a'], 'list element types are not identical'],
  [[null], 'has no null'],
])('%j is refused', (change, message) => {
  expect(() => mergeLists(named('a'), change, merging)).toThrow(message)
})

test('items are put in the order that is asked for, the others where they were', () => {
  const order = { wanted: named('cba'), live: named('abcd'), mergeKey: 'name' }
  expect(names(orderLike(named('abcd'), order))).toBe('cbad')
})

test('an item that is new to the live list stands in front of what was in no order with it', () => {
  const order = { wanted: named('xc'), live: named('abc'), mergeKey: 'name' }
  expect(names(orderLike(named('abcx'), order))).toBe('xabc')
})

test('added items stand where deleted ones made room', () => {
  const deletion = { name: 'a', $patch: 'delete' }
  expect(names(overwritten(named('abc'), [deletion, ...named('xyb')], 'name'))).toBe('bcx')
  expect(names(overwritten(named('abc'), named('x'), 'name'))).toBe('abc')
})
