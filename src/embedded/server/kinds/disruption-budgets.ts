import type { ResourceDefinition } from '../definition.ts'
import type { FieldFault } from '../failure.ts'
import { podDisruptionBudgetMergeKeys } from '../patch/merge-keys.ts'
import type { AnyObject } from '../store.ts'
import { builtIn, statusOf } from './built-in.ts'

const budgetNames = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets', kind: 'PodDisruptionBudget' }

export const disruptionBudgets: ResourceDefinition = builtIn({
  ...budgetNames,
  mergeKeys: podDisruptionBudgetMergeKeys,
  shortNames: ['pdb'],
  subresources: [statusOf(budgetNames)],
  countsGenerations: true,
  prepareForCreate: (budget) => ({
    ...budget,
    status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  }),
  validate: (budget) => budgetFaults(budget),
})

/** The server shows the spec by the names that its own source has for the fields. */
function asGoFields(budget: AnyObject): string {
  const {
    minAvailable = null,
    selector = null,
    maxUnavailable = null,
    unhealthyPodEvictionPolicy = null,
  } = (budget['spec'] ?? {}) as Readonly<Record<string, unknown>>
  return JSON.stringify({
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
  })
}

function budgetFaults(budget: AnyObject): FieldFault[] {
  const {
    minAvailable,
    maxUnavailable,
    unhealthyPodEvictionPolicy: policy,
  } = (budget['spec'] ?? {}) as Readonly<Record<string, unknown>>
  const faults: FieldFault[] = []
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    faults.push({
      field: 'spec',
      kind: 'Invalid',
      message: `Invalid value: ${asGoFields(budget)}: minAvailable and maxUnavailable cannot be both set`,
    })
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    if (typeof value === 'number' && value < 0) {
      faults.push({
        field: `spec.${field}`,
        kind: 'Invalid',
        message: `Invalid value: ${value}: must be greater than or equal to 0`,
      })
    }
    if (typeof value === 'string' && !/^[0-9]+%$/.test(value)) {
      faults.push({
        field: `spec.${field}`,
        kind: 'Invalid',
        message: `Invalid value: "${value}": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
      })
    }
  }
  if (policy !== undefined && policy !== 'IfHealthyBudget' && policy !== 'AlwaysAllow') {
    faults.push({
      field: 'spec.unhealthyPodEvictionPolicy',
      kind: 'NotSupported',
      message: `Unsupported value: ${JSON.stringify(policy)}: supported values: "AlwaysAllow", "IfHealthyBudget"`,
    })
  }
  return faults
}
