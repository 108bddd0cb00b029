import { expect, test } from 'vitest'
import { policyVariables } from './policy.ts'

test('expressions know parameters only where a policy takes some', () => {
  expect(policyVariables({})).not.toContain('params')
  expect(policyVariables({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })).toContain('params')
})
