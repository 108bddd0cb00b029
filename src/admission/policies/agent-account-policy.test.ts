import { expect, test } from 'vitest'
import { buildServer, said } from '../../../test/build/embedded-server.ts'
import { InProcessTransport } from '../../embedded/in-process-transport.ts'
import type { Method } from '../../kube/client/transport.ts'
import { buildAgentAccountPolicy } from './agent-account-policy.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const path = '/apis/coordination.k8s.io/v1/namespaces/shop/leases'
const account = 'system:serviceaccount:lifeboat-system:lifeboat-agent'
const wanted = 'nodemaintenance.k8s.io/agent-wanted'
const mayGo = 'nodemaintenance.k8s.io/agent-shutdown'
const merge = { 'content-type': 'application/merge-patch+json' }
const leaseOf = (name: string, annotations: object = {}) => ({ metadata: { name, annotations } })

/** With the policy in effect, and mailboxes of two nodes. */
async function open() {
  const { send, server, admin } = buildServer()
  for (const name of ['lifeboat-agent-one', 'lifeboat-agent-two'])
    await send('POST', path, leaseOf(name, { [wanted]: 'park', [mayGo]: 'first' }))
  const [policy, binding] = buildAgentAccountPolicy(account)
  await send('POST', `${registration}/validatingadmissionpolicies`, policy)
  await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  const as = (node: string | undefined, name = account) => {
    const extra = node === undefined ? {} : { extra: { 'authentication.kubernetes.io/node-name': [node] } }
    const transport = new InProcessTransport(server, { ...admin, name, ...extra })
    return async (method: Method, to: string, body?: object) =>
      said(
        await transport.request({
          method,
          path: to,
          ...(body === undefined ? {} : { body }),
          headers: method === 'PATCH' ? merge : {},
        }),
      )
  }
  return as
}

const note = { metadata: { annotations: { note: '1' } } }

test.each([
  { name: 'its own mailbox', node: 'one', method: 'PATCH', lease: 'lifeboat-agent-one', body: note, expected: /^200/ },
  {
    name: 'the mailbox of another node',
    node: 'one',
    method: 'PATCH',
    lease: 'lifeboat-agent-two',
    body: note,
    expected: /^403 .*of its own node/,
  },
  {
    name: 'without a node in its token',
    node: undefined,
    method: 'PATCH',
    lease: 'lifeboat-agent-one',
    body: note,
    expected: /^403 .*of its own node/,
  },
  {
    name: 'what is wanted of it',
    node: 'one',
    method: 'PATCH',
    lease: 'lifeboat-agent-one',
    body: { metadata: { annotations: { [wanted]: '' } } },
    expected: /^403 .*may not write the annotation/,
  },
  {
    name: 'what is wanted of it, away',
    node: 'one',
    method: 'PATCH',
    lease: 'lifeboat-agent-one',
    body: { metadata: { annotations: null } },
    expected: /^403 .*may not write the annotation/,
  },
  {
    name: 'that a shutdown may continue',
    node: 'one',
    method: 'PATCH',
    lease: 'lifeboat-agent-one',
    body: { metadata: { annotations: { [mayGo]: 'second' } } },
    expected: /^403 .*may not write the annotation nodemaintenance.k8s.io\/agent-shutdown/,
  },
  {
    name: 'that no shutdown may continue',
    node: 'one',
    method: 'PATCH',
    lease: 'lifeboat-agent-one',
    body: { metadata: { annotations: { [mayGo]: null } } },
    expected: /^403 .*may not write the annotation nodemaintenance.k8s.io\/agent-shutdown/,
  },
  { name: 'its own mailbox away', node: 'one', method: 'DELETE', lease: 'lifeboat-agent-one', expected: /^200/ },
  {
    name: 'that of another away',
    node: 'one',
    method: 'DELETE',
    lease: 'lifeboat-agent-two',
    expected: /^403 .*of its own node/,
  },
] as const)('an agent writes $name', async ({ node, method, lease, expected, ...more }) => {
  const as = await open()
  expect(await as(node)(method, `${path}/${lease}`, 'body' in more ? more.body : undefined)).toMatch(expected)
})

test.each([
  { name: 'its own mailbox', lease: leaseOf('lifeboat-agent-three'), expected: /^201/ },
  { name: 'another', lease: leaseOf('lifeboat'), expected: /^403 .*of its own node/ },
  {
    name: 'its own with what is wanted',
    lease: leaseOf('lifeboat-agent-three', { [wanted]: 'x' }),
    expected: /^403 .*may not write/,
  },
  {
    name: 'its own with a shutdown that may continue',
    lease: leaseOf('lifeboat-agent-three', { [mayGo]: 'x' }),
    expected: /^403 .*may not write/,
  },
])('an agent creates $name', async ({ lease, expected }) => {
  const as = await open()
  expect(await as('three')('POST', path, lease)).toMatch(expected)
})

test('others write Leases as before', async () => {
  const as = await open()
  expect(
    await as(undefined, 'somebody')('PATCH', `${path}/lifeboat-agent-one`, {
      metadata: { annotations: { [wanted]: 'x' } },
    }),
  ).toMatch(/^200/)
})
