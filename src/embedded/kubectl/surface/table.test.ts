import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { plainKinds } from '../../server/kinds/cluster-kinds.ts'
import { pods } from '../../server/kinds/pods.ts'
import { columnsOf, tableOf } from './table.ts'

test('a table begins with the name, unless its kind has a place for it', () => {
  const events = plainKinds.find(({ plural }) => plural === 'events')
  expect(columnsOf(pods)[0]?.name).toBe('Name')
  expect(events === undefined ? [] : columnsOf(events).map(({ name }) => name)).toEqual([
    'Last Seen',
    'Type',
    'Reason',
    'Object',
    'Subobject',
    'Source',
    'Message',
    'First Seen',
    'Count',
    'Name',
  ])
})

test('every column says what it is, and every row has a cell for each', () => {
  const table = tableOf(
    pods,
    { items: [{ metadata: storedMeta({ name: 'a' }) }, { metadata: storedMeta() }], metadata: {} },
    { version: 'v1beta1', includeObject: 'None', nowMs: 0 },
  )
  expect(table.apiVersion).toBe('meta.k8s.io/v1beta1')
  expect(table.columnDefinitions).toHaveLength(9)
  for (const column of table.columnDefinitions ?? [])
    expect(Object.keys(column)).toEqual(['name', 'type', 'format', 'description', 'priority'])
  for (const row of table.rows as readonly { cells: unknown[] }[]) expect(row.cells).toHaveLength(9)
})
