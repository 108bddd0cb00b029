import { describe, expect, test } from 'vitest'
import { playRow, titleOf } from '../../../test/real/definition-row.ts'
import { maintenanceRows } from '../../../test/real/definitions-table.ts'
import { validateNodeMaintenance } from './validate-node-maintenance.ts'

// The same rows as test/real/crds.test.ts sends to an API server: both must come to the same verdict.
describe('a NodeMaintenance', () => {
  test.each(maintenanceRows.map((row) => [titleOf(row), row] as const))('%s', (_title, row) => {
    const fields = playRow(row, validateNodeMaintenance).map(({ field }) => field)
    if (row.refused) expect(fields).toContain(row.refused.field)
    else expect(fields).toEqual([])
  })
})

test('a label key that could never match is named', () => {
  const drainPlan = [{ podPriority: 1, podSelector: { matchLabels: { 'not a key': 'x' } } }]
  const spec = { nodeSelector: { nodeSelectorTerms: [{}] }, drainPlan }
  expect(validateNodeMaintenance({ metadata: { name: 'x' }, spec })).toMatchObject([
    { field: 'spec.drainPlan[0].podSelector.matchLabels', value: 'not a key' },
  ])
})
