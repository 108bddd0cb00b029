import { expect, test } from 'vitest'
import { buildAdmissionRequest, kindOf } from '../../../../../test/build/admission-request.ts'
import { addWarning, factsOf, isExemptFromPolicies, isExemptFromWebhooks } from './request-facts.ts'

test('a subresource has a kind of its own, and the resource stays', () => {
  expect(factsOf(buildAdmissionRequest({ plural: 'pods', subresource: 'eviction' }))).toEqual({
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    resource: { group: '', version: 'v1', resource: 'pods' },
    subresource: 'eviction',
    namespace: 'shop',
    name: 'a',
  })
})

test('a namespace is in itself', () => {
  const request = buildAdmissionRequest({ plural: 'namespaces', namespace: undefined, name: 'shop' })
  expect(factsOf(request)).toMatchObject({ namespace: 'shop', name: 'shop' })
})

test.each([
  { plural: 'configmaps', webhooks: false, policies: false },
  { plural: 'validatingwebhookconfigurations', webhooks: true, policies: false },
  { plural: 'mutatingwebhookconfigurations', webhooks: true, policies: false },
  { plural: 'validatingadmissionpolicies', webhooks: true, policies: true },
  { plural: 'validatingadmissionpolicybindings', webhooks: true, policies: true },
])('$plural: exempt from webhooks $webhooks, from policies $policies', ({ plural, webhooks, policies }) => {
  const request = buildAdmissionRequest({ definition: kindOf(plural) })
  expect([isExemptFromWebhooks(request), isExemptFromPolicies(request)]).toEqual([webhooks, policies])
})

test('a warning is given once, and never an empty one', () => {
  const warnings: string[] = []
  for (const text of ['one', '', 'two', 'one']) addWarning(warnings, text)
  expect(warnings).toEqual(['one', 'two'])
})
