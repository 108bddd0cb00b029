import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'
import type { BindingSpec, PolicySpec } from './policy.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/shop/configmaps'
const resourceRules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]
const refusing = { expression: 'false', message: 'no' }

async function serverWith(spec: PolicySpec, binding: BindingSpec = {}) {
  const server = buildServer()
  const policy = { matchConstraints: { resourceRules }, validations: [refusing], ...spec }
  const created = await server.send('POST', `${group}/validatingadmissionpolicies`, {
    metadata: { name: 'p' },
    spec: policy,
  })
  expect(said(created)).toBe('201')
  const bound = await server.send('POST', `${group}/validatingadmissionpolicybindings`, {
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
  })
  expect(said(bound)).toBe('201')
  return server
}

async function creating(spec: PolicySpec, binding?: BindingSpec) {
  const { send } = await serverWith(spec, binding)
  return send('POST', maps, { metadata: { name: 'x', labels: { app: 'web' } } })
}

test('a refusal is a forbidden with another code', async () => {
  const message = `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no`
  expect((await creating({})).body).toMatchObject({
    code: 422,
    reason: 'Invalid',
    message: `configmaps "x" is forbidden: ${message}`,
    details: { name: 'x', kind: 'configmaps', causes: [{ message }] },
  })
})

test.each<[string, PolicySpec, BindingSpec | undefined, string]>([
  ['a reason', { validations: [{ ...refusing, reason: 'Forbidden' }] }, undefined, '403 Forbidden'],
  ['an audit', {}, { validationActions: ['Audit'] }, '201'],
  ['excluded', { matchConstraints: { resourceRules, excludeResourceRules: resourceRules } }, undefined, '201'],
  ['a binding for others', {}, { matchResources: { objectSelector: { matchLabels: { app: 'other' } } } }, '201'],
  ['a binding of another policy', {}, { policyName: 'other' }, '201'],
  [
    'a kind of parameters that is not known',
    { paramKind: { apiVersion: 'v7', kind: 'Nothing' } },
    undefined,
    `422 Invalid: configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'v7, Kind=Nothing'`,
  ],
  [
    'the same where failures are ignored',
    { paramKind: { apiVersion: 'v7', kind: 'Nothing' }, failurePolicy: 'Ignore' },
    undefined,
    '201',
  ],
])('%s', async (_name, spec, binding, expected) => {
  expect(said(await creating(spec, binding))).toContain(expected)
})

test('a warning goes to the client', async () => {
  const { status, headers } = await creating({}, { validationActions: ['Warn'] })
  expect(status).toBe(201)
  expect(headers['warning']).toEqual([
    `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"`,
  ])
})

test('a policy that changes is in effect at once, and so is one that goes', async () => {
  const { send } = await serverWith({})
  const contentType = 'application/merge-patch+json'
  const spec = { validations: [{ expression: "object.metadata.name == 'x'" }] }
  await send('PATCH', `${group}/validatingadmissionpolicies/p`, { spec }, { contentType })
  expect(said(await send('POST', maps, { metadata: { name: 'x' } }))).toBe('201')
  expect(said(await send('POST', maps, { metadata: { name: 'y' } }))).toContain('422')
  await send('DELETE', `${group}/validatingadmissionpolicybindings/b`)
  expect(said(await send('POST', maps, { metadata: { name: 'y' } }))).toBe('201')
})
