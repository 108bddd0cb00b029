import { expect, test } from 'vitest'
import { given } from './given.ts'

test('members that are undefined are left out, others stay as they are', () => {
  const members = given({ one: 1, none: undefined, empty: '', off: false, list: [] })
  expect(Object.keys(members)).toEqual(['one', 'empty', 'off', 'list'])
})
