import { describe, expect, test } from 'vitest'
import { parseAdmissionReview, recordOf, textOf } from './admission-request.ts'

const kind = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' }

describe('parseAdmissionReview', () => {
  test('reads what an API server sends', () => {
    const request = {
      uid: 'u',
      operation: 'CREATE',
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'eviction',
      name: 'web',
      namespace: 'shop',
      userInfo: { username: 'joe', uid: '7', groups: ['a', 'b'], extra: { scopes: ['x'] } },
      dryRun: true,
      object: { kind: 'Eviction' },
      oldObject: null,
    }
    expect(parseAdmissionReview({ ...kind, request })).toEqual({
      ...request,
      resource: { group: '', resource: 'pods' },
      oldObject: undefined,
    })
  })

  test('what is left out is empty', () => {
    expect(parseAdmissionReview({ ...kind, request: { uid: 'u', operation: 'DELETE' } })).toEqual({
      uid: 'u',
      operation: 'DELETE',
      resource: { group: '', resource: '' },
      subResource: '',
      name: '',
      namespace: '',
      userInfo: { username: '', groups: [], extra: {} },
      dryRun: false,
      object: undefined,
      oldObject: undefined,
    })
  })

  test.each([
    { name: 'nothing', review: undefined, message: 'must be an AdmissionReview' },
    { name: 'a list', review: [], message: 'must be an AdmissionReview' },
    { name: 'another kind', review: { ...kind, kind: 'Pod' }, message: 'must be an AdmissionReview' },
    {
      name: 'another version',
      review: { ...kind, apiVersion: 'admission.k8s.io/v1beta1' },
      message: 'must be an AdmissionReview of admission.k8s.io/v1',
    },
    { name: 'no request', review: kind, message: 'request.uid is missing' },
    { name: 'no operation', review: { ...kind, request: { uid: 'u' } }, message: 'request.operation is undefined' },
    {
      name: 'an unknown operation',
      review: { ...kind, request: { uid: 'u', operation: 'LOOK' } },
      message: 'request.operation is "LOOK": must be one of CREATE, UPDATE, DELETE, CONNECT',
    },
  ])('refuses $name', ({ review, message }) => {
    expect(() => parseAdmissionReview(review)).toThrow(message)
  })

  test('hostile users are read as far as they are texts', () => {
    const userInfo = { username: 7, groups: ['a', 7, null], extra: { one: 'x', two: ['y', {}] } }
    expect(parseAdmissionReview({ ...kind, request: { uid: 'u', operation: 'CREATE', userInfo } }).userInfo).toEqual({
      username: '',
      groups: ['a'],
      extra: { one: [], two: ['y'] },
    })
  })
})

test.each([null, undefined, 'text', 7, [1], true])('%s has no fields', (value) => {
  expect(recordOf(value)).toEqual({})
})

test('only a text is a text', () => {
  expect(['a', 7, null, undefined].map(textOf)).toEqual(['a', '', '', ''])
})
