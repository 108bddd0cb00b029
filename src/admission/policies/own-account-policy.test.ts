import { describe, expect, test } from 'vitest'
import { buildServer, said } from '../../../test/build/embedded-server.ts'
import { ownKinds } from '../../../test/build/own-kinds.ts'
import { annotations } from '../../api/names.ts'
import { buildOwnAccountPolicy } from './own-account-policy.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const lifeboat = 'system:serviceaccount:lifeboat-system:lifeboat'
const pod = { metadata: { generateName: 'logs-' }, spec: { containers: [{ name: 'main', image: 'logs:1' }] } }

/** A server with the policy; the account that it limits is the one that sends, or another. */
function open(isOwn: boolean) {
  const { send, admin } = buildServer({ definitions: ownKinds() })
  const [policy, binding] = buildOwnAccountPolicy(isOwn ? admin.name : lifeboat)
  const limit = async () => {
    await send('POST', `${registration}/validatingadmissionpolicies`, policy)
    await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  }
  return { send, limit }
}

test.each([
  { name: 'its own account creates no pod', isOwn: true, query: {}, expected: /^403 Forbidden: .*only as a dry run/ },
  { name: 'its own account may try', isOwn: true, query: { dryRun: 'All' }, expected: /^201/ },
  { name: 'others create pods as before', isOwn: false, query: {}, expected: /^201/ },
  { name: 'others may try as before', isOwn: false, query: { dryRun: 'All' }, expected: /^201/ },
])('$name', async ({ isOwn, query, expected }) => {
  const { send, limit } = open(isOwn)
  await limit()
  expect(said(await send('POST', '/api/v1/namespaces/shop/pods', pod, { query }))).toMatch(expected)
})

const condition = (type: string, status: string) => ({ type, status, reason: 'Test', message: '' })
const shutdown = condition('GracefulNodeShutdownInProgress', 'True')

describe('the status of a node', () => {
  test.each([
    { name: 'the condition of a shutdown', isOwn: true, status: { conditions: [shutdown] }, expected: /^200/ },
    {
      name: 'another condition',
      isOwn: true,
      status: { conditions: [condition('Ready', 'False')] },
      expected: /^403 Forbidden: .*may change only the condition GracefulNodeShutdownInProgress/,
    },
    {
      name: 'both',
      isOwn: true,
      status: { conditions: [shutdown, condition('Ready', 'False')] },
      expected: /^403/,
    },
    { name: 'how much fits', isOwn: true, status: { capacity: { pods: '9' } }, expected: /^403/ },
    {
      name: 'addresses',
      isOwn: true,
      status: { addresses: [{ type: 'Hostname', address: 'seven' }] },
      expected: /^403/,
    },
    {
      name: 'another condition, by others',
      isOwn: false,
      status: { conditions: [condition('Ready', 'False')] },
      expected: /^200/,
    },
  ])('$name', async ({ isOwn, status, expected }) => {
    const { send, limit } = open(isOwn)
    const before = {
      conditions: [condition('Ready', 'True'), condition('DiskPressure', 'False')],
      capacity: { pods: '5' },
      addresses: [{ type: 'Hostname', address: 'six' }],
    }
    await send('POST', '/api/v1/nodes', { metadata: { name: 'six' } })
    const contentType = 'application/strategic-merge-patch+json'
    await send('PATCH', '/api/v1/nodes/six/status', { status: before }, { contentType })
    await limit()
    expect(said(await send('PATCH', '/api/v1/nodes/six/status', { status }, { contentType }))).toMatch(expected)
  })
})

describe('a NodeMaintenance', () => {
  const maintenance = (name: string, marked: boolean) => ({
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name, annotations: marked ? { [annotations.shutdown]: '{}' } : {} },
    spec: {
      stage: 'Drain',
      nodeSelector: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['six'] }] }],
      },
    },
  })
  const path = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'

  test.each([
    { name: 'shutdown-six', marked: true, isOwn: true, expected: /^20/ },
    { name: 'shutdown-six', marked: false, isOwn: true, expected: /^403 Forbidden: .*only for machines that go down/ },
    { name: 'os-upgrade', marked: true, isOwn: true, expected: /^403/ },
    { name: 'os-upgrade', marked: false, isOwn: false, expected: /^20/ },
  ])('$name, marked: $marked, own account: $isOwn', async ({ name, marked, isOwn, expected }) => {
    const creating = open(isOwn)
    await creating.limit()
    expect(said(await creating.send('POST', path, maintenance(name, marked)))).toMatch(expected)
    const deleting = open(isOwn)
    await deleting.send('POST', path, maintenance(name, marked))
    await deleting.limit()
    expect(said(await deleting.send('DELETE', `${path}/${name}`, {}))).toMatch(expected)
  })
})
