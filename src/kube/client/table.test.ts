import { expect, test } from 'vitest'
import { rowsOf } from './table.ts'

test('a row has its cells by the names of the columns', () => {
  const page = {
    columnDefinitions: [{ name: 'Name' }, { name: 'Status' }, { name: 'Age' }],
    rows: [{ cells: ['node-1', 'Ready', '5d'] }, { cells: ['node-2', 'NotReady'] }],
    metadata: {},
  }
  expect(rowsOf(page)).toEqual([
    { Name: 'node-1', Status: 'Ready', Age: '5d' },
    { Name: 'node-2', Status: 'NotReady', Age: undefined },
  ])
})

test.each([{ rows: null }, {}])('a page may have none: %o', (page) => {
  expect(rowsOf({ ...page, metadata: {} })).toEqual([])
})
