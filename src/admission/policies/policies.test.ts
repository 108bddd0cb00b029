import { expect, test } from 'vitest'
import { buildPolicies } from './policies.ts'

test('each policy comes with its binding', () => {
  const policies = buildPolicies('system:serviceaccount:lifeboat-system:lifeboat')
  const names = Object.values(policies).map(([policy, binding]) => {
    expect(binding).toMatchObject({ spec: { policyName: policy.metadata.name } })
    return policy.metadata.name
  })
  expect(names).toEqual([
    'lifeboat-own-account',
    'lifeboat-evacuation-rights',
    'lifeboat-evacuator-annotations',
    'lifeboat-evict-policy',
    'lifeboat-cordon',
  ])
})
