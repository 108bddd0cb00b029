import { expect, test } from 'vitest'
import { mutationFaults } from './mutation-faults.ts'
import type { MutatingPolicySpec } from './policy.ts'

const jsonPatch = { expression: "[JSONPatch{op: 'remove', path: '/data'}]" }
const right: MutatingPolicySpec = {
  matchConstraints: { resourceRules: [{ operations: ['CREATE', 'UPDATE'] }] },
  mutations: [{ patchType: 'JSONPatch', jsonPatch }],
  reinvocationPolicy: 'Never',
}

test('a policy that is right has none', () => {
  expect(mutationFaults(right)).toEqual([])
})

test.each<[MutatingPolicySpec, field: string, message: string]>([
  [{ mutations: [] }, 'spec.mutations', 'Required value: mutations must contain at least one item'],
  [{ mutations: [{ jsonPatch }] }, 'spec.mutations[0].patchType', 'Required value'],
  [
    { mutations: [{ patchType: 'Merge', jsonPatch }] },
    'spec.mutations[0].patchType',
    'Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"',
  ],
  [
    { mutations: [{ patchType: 'JSONPatch' }] },
    'spec.mutations[0].jsonPatch',
    'Required value: must be specified when patchType is JSONPatch',
  ],
  [
    { mutations: [{ patchType: 'JSONPatch', jsonPatch, applyConfiguration: { expression: 'Object{}' } }] },
    'spec.mutations[0].applyConfiguration',
    'must not be specified when patchType is JSONPatch',
  ],
  [
    { mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }] },
    'spec.mutations[0].patchType',
    'the embedded cluster knows JSONPatch only',
  ],
  [
    { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{oops: 1}]' } }] },
    'spec.mutations[0].jsonPatch.expression',
    `undefined field 'oops'`,
  ],
  [
    { mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[' } }] },
    'spec.mutations[0].jsonPatch.expression',
    'compilation failed',
  ],
  [{ reinvocationPolicy: '' }, 'spec.reinvocationPolicy', 'Required value'],
  [{ reinvocationPolicy: 'Always' }, 'spec.reinvocationPolicy', 'supported values: "IfNeeded", "Never"'],
  [
    { matchConstraints: { resourceRules: [{ operations: ['DELETE'] }] } },
    'spec.matchConstraints.resourceRules.operations',
    'supported values: "*", "CREATE", "UPDATE"',
  ],
])('%j has a fault at %s', (wrong, field, message) => {
  const faults = mutationFaults({ ...right, ...wrong })
  expect(faults).toMatchObject([{ field }])
  expect(faults[0]?.message).toContain(message)
})
