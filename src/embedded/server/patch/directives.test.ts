import { expect, test } from 'vitest'
import { setOrDrop, unexpected, withoutDirectives } from './directives.ts'

test.each([
  [{ a: 1, b: null }, { a: 1 }],
  [{ a: { $patch: 'delete' } }, {}],
  [[{ name: 'a' }, { name: 'b', $patch: 'delete' }], [{ name: 'a' }]],
  [{ '$setElementOrder/list': [], '$deleteFromPrimitiveList/list': [], $retainKeys: [], a: { c: null } }, { a: {} }],
  ['text', 'text'],
])('%j without directives is %j', (value, expected) => {
  expect(withoutDirectives(value)).toEqual(expected)
})

test('nothing in place of a field takes it away', () => {
  const object = { a: 1 }
  setOrDrop(object, 'a', undefined)
  expect(object).toEqual({})
})

test('mistakes that the real server does not expect are answered as its own', () => {
  expect(unexpected('what')).toMatchObject({ code: 500, reason: '', message: 'what' })
})
