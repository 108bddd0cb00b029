import { expect, test } from 'vitest'
import { buildServer, said } from '../../../../../test/build/embedded-server.ts'
import { InProcessWebhooks } from './webhook-caller.ts'

const group = '/apis/admissionregistration.k8s.io/v1'
const maps = '/api/v1/namespaces/shop/configmaps'
const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }]

test('policies judge what webhooks have made, and before other webhooks are asked', async () => {
  const webhookCaller = new InProcessWebhooks()
  const { send } = buildServer({ webhookCaller })
  const asked: string[] = []
  for (const kind of ['mutating', 'validating']) {
    const clientConfig = { url: `https://host/${kind}` }
    webhookCaller.register(clientConfig, ({ request: { uid } }) => {
      asked.push(kind)
      const operations = [{ op: 'add', path: '/data', value: { from: 'webhook' } }]
      const patch = Buffer.from(JSON.stringify(operations)).toString('base64')
      const response = { uid, allowed: true, ...(kind === 'mutating' ? { patchType: 'JSONPatch', patch } : {}) }
      return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }
    })
    const webhook = { name: `${kind}.example.com`, clientConfig, rules, sideEffects: 'None' }
    const webhooks = [{ ...webhook, admissionReviewVersions: ['v1'] }]
    await send('POST', `${group}/${kind}webhookconfigurations`, { metadata: { name: 'x' }, webhooks })
  }
  const validations = [{ expression: '!has(object.data)', messageExpression: "'data from ' + object.data.from" }]
  const spec = { matchConstraints: { resourceRules: rules }, validations }
  await send('POST', `${group}/validatingadmissionpolicies`, { metadata: { name: 'p' }, spec })
  const binding = { policyName: 'p', validationActions: ['Deny'] }
  await send('POST', `${group}/validatingadmissionpolicybindings`, { metadata: { name: 'p' }, spec: binding })
  expect(said(await send('POST', maps, { metadata: { name: 'x' } }))).toBe(
    `422 Invalid: configmaps "x" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: data from webhook`,
  )
  expect(asked).toEqual(['mutating'])
})
