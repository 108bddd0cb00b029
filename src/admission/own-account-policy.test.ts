import { expect, test } from 'vitest'
import { buildServer, said } from '../../test/build/embedded-server.ts'
import { buildOwnAccountPolicy } from './own-account-policy.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const lifeboat = 'system:serviceaccount:lifeboat-system:lifeboat'
const pod = { metadata: { generateName: 'logs-' }, spec: { containers: [{ name: 'main', image: 'logs:1' }] } }

test.each([
  { name: 'its own account creates no pod', isOwn: true, query: {}, expected: /^403 Forbidden: .*only as a dry run/ },
  { name: 'its own account may try', isOwn: true, query: { dryRun: 'All' }, expected: /^201/ },
  { name: 'others create pods as before', isOwn: false, query: {}, expected: /^201/ },
  { name: 'others may try as before', isOwn: false, query: { dryRun: 'All' }, expected: /^201/ },
])('$name', async ({ isOwn, query, expected }) => {
  const { send, admin } = buildServer()
  const [policy, binding] = buildOwnAccountPolicy(isOwn ? admin.name : lifeboat)
  await send('POST', `${registration}/validatingadmissionpolicies`, policy)
  await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  expect(said(await send('POST', '/api/v1/namespaces/shop/pods', pod, { query }))).toMatch(expected)
})
