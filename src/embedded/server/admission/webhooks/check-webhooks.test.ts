import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'

const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations'
const good = {
  name: 'one.example.com',
  clientConfig: { url: 'https://127.0.0.1:1/x' },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
}
const create = (webhook: object) =>
  buildServer().send('POST', path, { metadata: { name: 'x' }, webhooks: [{ ...good, ...webhook }] })

test('what is left out is filled in', async () => {
  const { body } = await create({ objectSelector: null })
  expect(body).toMatchObject({
    webhooks: [
      {
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
        objectSelector: {},
        rules: [{ scope: '*' }],
      },
    ],
  })
})

test.each([
  [
    { sideEffects: 'Some' },
    'webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
  ],
  [{ name: 'short' }, 'should be a domain with at least three segments separated by dots'],
  [{ timeoutSeconds: 0 }, 'the timeout value must be between 1 and 30 seconds'],
  [{ clientConfig: {} }, 'exactly one of url or service is required'],
  [{ clientConfig: { url: 'http://host/x' } }, "'https' is the only allowed URL scheme"],
  [{ clientConfig: { url: 'https://host/x#y' } }, 'fragments are not permitted in the URL'],
  [{ clientConfig: { service: { name: 'a', namespace: 'b', path: '/x/A_b' } } }, 'segment[1]: a lowercase RFC 1123'],
  [{ clientConfig: { service: { name: 'a', namespace: 'b', path: 'x' } } }, "must start with a '/'"],
  [{ admissionReviewVersions: ['v7'] }, 'must include at least one of v1, v1beta1'],
  [{ matchConditions: [{ name: 'bad', expression: '(' }] }, 'webhooks[0].matchConditions[0].expression'],
])('%j is refused: %s', async (webhook, message) => {
  expect(said(await create(webhook))).toContain(message)
})

test('two webhooks of one name are refused', async () => {
  const answer = await buildServer().send('POST', path, { metadata: { name: 'x' }, webhooks: [good, good] })
  expect(said(answer)).toContain('webhooks[1].name: Duplicate value: "one.example.com"')
})
