import { expect, test } from 'vitest'
import { buildServer, said } from '../../../test/build/embedded-server.ts'
import { buildDeschedulerAccountPolicy } from './descheduler-account-policy.ts'

const registration = '/apis/admissionregistration.k8s.io/v1'
const descheduler = 'system:serviceaccount:lifeboat-system:lifeboat-descheduler'
const path = '/api/v1/namespaces/shop/pods'
const pod = { metadata: { name: 'cart' }, spec: { containers: [{ name: 'main', image: 'cart:1' }] } }

test.each([
  { name: 'the account deletes no pod', isDescheduler: true, expected: /^403 Forbidden: .*and not delete them/ },
  { name: 'others delete pods as before', isDescheduler: false, expected: /^200/ },
])('$name', async ({ isDescheduler, expected }) => {
  const { send, admin } = buildServer()
  const [policy, binding] = buildDeschedulerAccountPolicy(isDescheduler ? admin.name : descheduler)
  await send('POST', `${registration}/validatingadmissionpolicies`, policy)
  await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  expect(said(await send('POST', path, pod))).toMatch(/^201/)
  expect(said(await send('DELETE', `${path}/cart`))).toMatch(expected)
})

test('the account evicts pods', async () => {
  const { send, admin } = buildServer()
  const [policy, binding] = buildDeschedulerAccountPolicy(admin.name)
  await send('POST', `${registration}/validatingadmissionpolicies`, policy)
  await send('POST', `${registration}/validatingadmissionpolicybindings`, binding)
  await send('POST', path, pod)
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'cart', namespace: 'shop' } }
  expect(said(await send('POST', `${path}/cart/eviction`, eviction))).toMatch(/^201/)
})
