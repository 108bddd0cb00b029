import { describe, expect, test } from 'vitest'
import { playRow, titleOf } from '../../../test/real/definition-row.ts'
import { evacuationRows } from '../../../test/real/definitions-table.ts'
import { validateEvacuation } from './validate-evacuation.ts'

const ours = evacuationRows.filter((row) => row.ofAllKinds !== true)

// The same rows as test/real/crds.test.ts sends to an API server: both must come to the same verdict.
describe('an Evacuation', () => {
  test.each(ours.map((row) => [titleOf(row), row] as const))('%s', (_title, row) => {
    const fields = playRow(row, validateEvacuation).map(({ field }) => field)
    if (row.refused) expect(fields).toContain(row.refused.field)
    else expect(fields).toEqual([])
  })
})

test('a rule is not asked about an object of the wrong shape', () => {
  expect(validateEvacuation({ metadata: { name: 'x' }, spec: { podRef: 'cart-7' } })).toMatchObject([
    { field: 'spec.podRef', value: 'cart-7', allowed: 'must be an object' },
  ])
})
