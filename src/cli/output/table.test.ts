import { expect, test } from 'vitest'
import { renderTable } from './table.ts'

test('columns are as wide as what is in them, and no line ends with spaces', () => {
  expect(
    renderTable(
      ['NAME', 'STAGE'],
      [
        ['drain-node-1', 'Drain'],
        ['日本', ''],
      ],
    ),
  ).toEqual(['NAME           STAGE', 'drain-node-1   Drain', '日本'])
})
