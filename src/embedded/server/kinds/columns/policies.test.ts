import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import type { ColumnDefinition } from '../../definition.ts'
import { autoscalerColumns, disruptionBudgetColumns, priorityClassColumns, quotaColumns } from './policies.ts'

const row = (columns: readonly ColumnDefinition[], object: object) =>
  columns.map(({ cell }) => cell({ metadata: storedMeta(), ...object }, 0)).filter((cell) => cell !== '<unknown>')

test('a budget shows the one of its numbers that is set, and what it allows', () => {
  expect(row(disruptionBudgetColumns, { spec: { minAvailable: '50%' }, status: { disruptionsAllowed: 2 } })).toEqual([
    '50%',
    'N/A',
    2,
  ])
  expect(row(disruptionBudgetColumns, { spec: { maxUnavailable: 0 } })).toEqual(['N/A', '0', 0])
})

test('an autoscaler shows what it scales, between which numbers', () => {
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 80 } } }]
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, minReplicas: 1, maxReplicas: 5, metrics }
  expect(row(autoscalerColumns, { spec, status: { currentReplicas: 3 } })).toEqual([
    'Deployment/web',
    'cpu: <unknown>/80%',
    '1',
    5,
    3,
  ])
})

test('a priority class and a quota', () => {
  expect(row(priorityClassColumns, { value: 7, preemptionPolicy: 'Never' })).toEqual([7, false, 'Never'])
  const status = { hard: { pods: '3', 'limits.cpu': '2' }, used: { pods: '1' } }
  expect(row(quotaColumns, { status })).toEqual(['pods: 1/3', 'limits.cpu: 0/2'])
})
