import { expect, test } from 'vitest'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { AssertionError } from '../../runtime/assert.ts'
import { collectionPath, namespaceOfPath, objectPath, queryString } from './paths.ts'

test('the core group lives under /api, the others under /apis', () => {
  expect(collectionPath(pods, 'shop')).toBe('/api/v1/namespaces/shop/pods')
  expect(collectionPath(leases, 'shop')).toBe('/apis/coordination.k8s.io/v1/namespaces/shop/leases')
})

test('without a namespace a collection spans all of them', () => {
  expect(collectionPath(pods)).toBe('/api/v1/pods')
})

test('an object and its subresource', () => {
  expect(objectPath(pods, { namespace: 'shop', name: 'cart' }, 'status')).toBe(
    '/api/v1/namespaces/shop/pods/cart/status',
  )
  expect(objectPath(nodes, { name: 'one' })).toBe('/api/v1/nodes/one')
})

test.each([
  { path: objectPath(pods, { namespace: 'shop', name: 'cart' }, 'eviction'), namespace: 'shop' },
  { path: collectionPath(leases, 'shop'), namespace: 'shop' },
  { path: collectionPath(pods), namespace: undefined },
  { path: objectPath(nodes, { name: 'one' }), namespace: undefined },
  { path: '/api/v1/namespaces/shop', namespace: undefined },
])('$path is in namespace $namespace', ({ path, namespace }) => {
  expect(namespaceOfPath(path)).toBe(namespace)
})

test('a name cannot leave its place in the path', () => {
  expect(objectPath(nodes, { name: '../secrets?x=1' })).toBe('/api/v1/nodes/..%2Fsecrets%3Fx%3D1')
})

test.each([
  { name: 'an empty name would address the collection', key: { namespace: 'shop', name: '' } },
  { name: 'a dot would be resolved away', key: { namespace: '..', name: 'cart' } },
  { name: 'a missing namespace is a bug', key: { name: 'cart' } },
])('$name', ({ key }) => {
  expect(() => objectPath(pods, key)).toThrow(AssertionError)
})

test('a cluster-scoped kind takes no namespace', () => {
  expect(() => collectionPath(nodes, 'shop')).toThrow('nodes have no namespace')
})

test.each([
  { query: undefined, text: '' },
  { query: {}, text: '' },
  { query: { limit: '5', labelSelector: 'a in (b,c)' }, text: '?limit=5&labelSelector=a+in+%28b%2Cc%29' },
])('a query is $text', ({ query, text }) => {
  expect(queryString(query)).toBe(text)
})
