import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }]
const matchConstraints = { resourceRules: rules }
const validations = [{ expression: 'true' }]

const createPolicy = (spec: object) =>
  buildServer().send('POST', `${group}/validatingadmissionpolicies`, {
    metadata: { name: 'p' },
    spec: { matchConstraints, validations, ...spec },
  })

const createBinding = (spec: object) =>
  buildServer().send('POST', `${group}/validatingadmissionpolicybindings`, {
    metadata: { name: 'p' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
  })

test('what is left out is filled in', async () => {
  expect((await createPolicy({})).body).toMatchObject({
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        resourceRules: [{ scope: '*' }],
      },
    },
  })
  const { body } = await createBinding({ matchResources: { excludeResourceRules: rules } })
  expect(body).toMatchObject({ spec: { matchResources: { excludeResourceRules: [{ scope: '*' }] } } })
})

test.each([
  [
    { validations: [{ expression: 'object.' }] },
    'spec.validations[0].expression: Invalid value: "object.": compilation failed',
  ],
  [{ validations: [{ expression: 'params.x' }] }, 'spec.validations[0].expression'],
  [{ validations: [{ expression: 'true', messageExpression: ')' }] }, 'spec.validations[0].messageExpression'],
  [{ validations: [{ expression: 'true', reason: 'Gone' }] }, 'spec.validations[0].reason: Unsupported value: "Gone"'],
  [{ validations: [] }, 'validations or auditAnnotations must contain at least one item'],
  [
    { variables: [{ name: '1x', expression: '1' }] },
    'spec.variables[0].name: Invalid value: "1x": must be a valid CEL identifier',
  ],
  [{ matchConditions: [{ name: 'x', expression: 'variables.x' }] }, 'spec.matchConditions[0].expression'],
  [{ matchConstraints: null }, 'spec.matchConstraints: Required value'],
  [{ matchConstraints: {} }, 'spec.matchConstraints.resourceRules: Required value'],
  [{ auditAnnotations: [{ key: 'x', valueExpression: '(' }] }, 'spec.auditAnnotations[0].valueExpression'],
  [{ paramKind: { kind: 'ConfigMap' } }, 'spec.paramKind.apiVersion: Required value'],
])('a policy with %j is refused: %s', async (spec, message) => {
  const answer = said(await createPolicy(spec))
  expect(answer).toMatch(/^422 Invalid/)
  expect(answer).toContain(message)
})

test.each([
  [{ policyName: '' }, 'spec.policyName: Required value'],
  [{ validationActions: [] }, 'at least one validation action is required'],
  [{ validationActions: ['Deny', 'Warn'] }, 'must not contain both Deny and Warn'],
  [{ paramRef: { parameterNotFoundAction: 'Deny' } }, 'one of name or selector must be specified'],
  [{ paramRef: { name: 'x', parameterNotFoundAction: 'Shrug' } }, 'supported values: "Deny", "Allow"'],
  [
    { paramRef: { name: 'x', selector: {}, parameterNotFoundAction: 'Deny' } },
    'name and selector are mutually exclusive',
  ],
])('a binding with %j is refused: %s', async (spec, message) => {
  expect(said(await createBinding(spec))).toContain(message)
})
