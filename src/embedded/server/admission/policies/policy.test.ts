import { expect, test } from 'vitest'
import { messageVariables, policyVariables } from './policy.ts'

test('expressions know parameters only where a policy takes some', () => {
  expect(policyVariables({})).not.toContain('params')
  expect(policyVariables({ paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } })).toContain('params')
})

test('rights are known to all expressions but those that word a refusal', () => {
  expect(policyVariables({})).toContain('authorizer')
  expect(messageVariables({})).not.toContain('authorizer')
})
