import { describe, expect, test } from 'vitest'
import { disruptionBudgets } from './disruption-budgets.ts'

const metadata = { name: 'a' }

describe('a budget', () => {
  test.each([
    { spec: { minAvailable: 1 }, faults: [] },
    { spec: { maxUnavailable: '50%' }, faults: [] },
    { spec: { minAvailable: 1, maxUnavailable: 1 }, faults: ['spec'] },
    { spec: { minAvailable: -1 }, faults: ['spec.minAvailable'] },
    { spec: { maxUnavailable: 'some' }, faults: ['spec.maxUnavailable'] },
    { spec: { minAvailable: 1, unhealthyPodEvictionPolicy: 'Sometimes' }, faults: ['spec.unhealthyPodEvictionPolicy'] },
  ])('$spec is at fault: $faults', ({ spec, faults }) => {
    expect(disruptionBudgets.validate?.({ metadata, spec }, undefined).map(({ field }) => field)).toEqual(faults)
  })
})
