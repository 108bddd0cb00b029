import { describe, expect, test } from 'vitest'
import { buildAdmissionRequest, kindOf } from '../../../../../test/build/admission-request.ts'
import { buildReview, parseReview } from './admission-review.ts'

test('a review says who does what to which object', () => {
  const request = buildAdmissionRequest({ plural: 'pods', subresource: 'eviction', dryRun: true })
  expect(buildReview(request, 'v1', 'uid-1')).toEqual({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'uid-1',
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'eviction',
      requestKind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      requestResource: { group: '', version: 'v1', resource: 'pods' },
      requestSubResource: 'eviction',
      name: 'a',
      namespace: 'shop',
      operation: 'CREATE',
      userInfo: { username: 'ann', groups: ['editors'] },
      dryRun: true,
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      object: request.object,
      oldObject: null,
    },
  })
})

test('a webhook sees the version that its rule names', () => {
  const definition = { ...kindOf('configmaps'), group: 'example.com', kind: 'Boat', plural: 'boats' }
  const { request } = buildReview(buildAdmissionRequest({ definition }), 'v2', 'uid-1')
  expect(request).toMatchObject({
    kind: { group: 'example.com', version: 'v2', kind: 'Boat' },
    requestKind: { version: 'v1' },
    object: { apiVersion: 'example.com/v2' },
  })
})

describe('answers', () => {
  const answer = (response: object | undefined, extra: object = {}) => ({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    ...(response === undefined ? {} : { response: { uid: 'uid-1', ...response } }),
    ...extra,
  })

  test('an answer is read', () => {
    const response = { allowed: false, status: { code: 429 }, warnings: ['careful'] }
    expect(parseReview(answer(response), 'uid-1', 'validating')).toEqual({
      allowed: false,
      status: { code: 429 },
      warnings: ['careful'],
      patch: '',
      patchType: undefined,
    })
  })

  test.each<[string, unknown, 'mutating' | 'validating']>([
    ['webhook response was absent', answer(undefined), 'mutating'],
    ['webhook response was absent', 'text', 'mutating'],
    ['expected response.uid="uid-1", got "x"', answer({ uid: 'x' }), 'mutating'],
    [
      'expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got v9, Kind=AdmissionReview',
      answer({}, { apiVersion: 'v9' }),
      'mutating',
    ],
    ['validating webhook may not return response.patch', answer({ patch: 'W10=' }), 'validating'],
    ['validating webhook may not return response.patchType', answer({ patchType: 'JSONPatch' }), 'validating'],
    ['webhook returned response.patch but not response.patchType', answer({ patch: 'W10=' }), 'mutating'],
    ['webhook returned response.patchType but not response.patch', answer({ patchType: 'JSONPatch' }), 'mutating'],
    ['webhook returned invalid response.patchType of ""', answer({ patch: 'W10=', patchType: '' }), 'mutating'],
  ])('%s', (message, value, webhook) => {
    expect(() => parseReview(value, 'uid-1', webhook)).toThrow(message)
  })
})
