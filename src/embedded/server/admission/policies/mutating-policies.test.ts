import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'
import type { MutatingPolicySpec } from './policy.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const resourceRules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['*'] }]
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
/** Writes its name behind those that are there already. */
const signing = (name: string) => patch(`[JSONPatch{op: 'add', path: '/data/by', value: object.data.by + '${name}'}]`)

interface Case extends MutatingPolicySpec {
  readonly name: string
  readonly isBound?: boolean
}

async function creating(policies: readonly Case[], path = '/api/v1/namespaces/shop/configmaps', body: object = {}) {
  const { send } = buildServer()
  for (const { name, isBound = true, ...spec } of policies) {
    const policy = {
      metadata: { name },
      spec: { matchConstraints: { resourceRules }, reinvocationPolicy: 'Never', ...spec },
    }
    expect(said(await send('POST', `${group}/mutatingadmissionpolicies`, policy))).toBe('201')
    if (!isBound) continue
    const binding = { metadata: { name }, spec: { policyName: name } }
    expect(said(await send('POST', `${group}/mutatingadmissionpolicybindings`, binding))).toBe('201')
  }
  return send('POST', path, { metadata: { name: 'x' }, data: { by: '' }, ...body })
}

const signed = async (...policies: readonly Case[]) =>
  ((await creating(policies)).body as { data?: { by?: string } }).data?.by

test('policies go by their names, and those without a binding do nothing', async () => {
  const named = ({ name, ...rest }: { name: string; isBound?: boolean }) => ({
    name,
    mutations: [signing(name)],
    ...rest,
  })
  expect(await signed(named({ name: 'b' }), named({ name: 'a' }), named({ name: 'c', isBound: false }))).toBe('ab')
})

test('one that is willing is asked again after a later one changed something, and only then', async () => {
  const again = { name: 'a', mutations: [signing('a')], reinvocationPolicy: 'IfNeeded' }
  expect(await signed(again)).toBe('a')
  expect(await signed(again, { name: 'b', mutations: [patch('[]')] })).toBe('a')
  expect(await signed(again, { name: 'b', mutations: [signing('b')] })).toBe('aba')
})

test('a failure refuses, and its message has no resource in it', async () => {
  const message = `policy 'p' with binding 'p' denied request: expression 'object.y' resulted in error: no such key: y`
  expect((await creating([{ name: 'p', mutations: [patch('object.y')] }])).body).toMatchObject({
    code: 403,
    reason: 'Invalid',
    message,
    details: { name: 'x', kind: 'configmaps', causes: [{ message }] },
  })
})

test('a failure that is to be ignored is', async () => {
  const policies = [{ name: 'p', failurePolicy: 'Ignore', mutations: [patch('object.y'), signing('p')] }]
  expect(await signed(...policies)).toBe('p')
})

test('what a policy adds is filled in with defaults before the next one looks', async () => {
  const port = "[JSONPatch{op: 'add', path: '/spec/containers/0/ports', value: [{'containerPort': 80}]}]"
  const label =
    "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'seen': object.spec.containers[0].ports[0].protocol}}]"
  const policies = [
    { name: 'a', mutations: [patch(port)] },
    { name: 'b', mutations: [patch(label)] },
  ]
  const { body } = await creating(policies, '/api/v1/namespaces/shop/pods', {
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  })
  expect(body).toMatchObject({ metadata: { labels: { seen: 'TCP' } } })
})

test('no policy changes policies', async () => {
  const everything = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }]
  const policy = {
    name: 'p',
    matchConstraints: { resourceRules: everything },
    mutations: [patch("[JSONPatch{op: 'add', path: '/metadata/labels', value: {'x': 'y'}}]")],
  }
  const binding = { spec: { policyName: 'other' } }
  const { body } = await creating([policy], `${group}/mutatingadmissionpolicybindings`, binding)
  expect(body).toMatchObject({ metadata: { name: 'x' } })
  expect(body).not.toHaveProperty('metadata.labels')
})
