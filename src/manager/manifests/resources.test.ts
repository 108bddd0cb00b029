import { expect, test } from 'vitest'
import { resourceOf } from './resources.ts'

test.each([
  ['v1', 'Namespace', 'namespaces'],
  ['v1', 'ServiceAccount', 'serviceaccounts'],
  ['batch/v1', 'CronJob', 'cronjobs'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'roles'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'customresourcedefinitions'],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'],
])('%s %s goes to %s', (apiVersion, kind, plural) => {
  expect(resourceOf({ apiVersion, kind }).plural).toBe(plural)
})

test('a kind that no installation has is a mistake of ours', () => {
  expect(() => resourceOf({ apiVersion: 'v1', kind: 'Secret' })).toThrow('v1 Secret')
})
