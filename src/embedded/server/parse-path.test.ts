import { expect, test } from 'vitest'
import { parseResourcePath, verbOf } from './parse-path.ts'

const none = { namespace: undefined, name: undefined, subresource: undefined }

test.each([
  { path: '/api/v1/pods', expected: { group: '', version: 'v1', plural: 'pods', ...none } },
  { path: '/api/v1/nodes/one', expected: { group: '', version: 'v1', plural: 'nodes', ...none, name: 'one' } },
  {
    path: '/api/v1/nodes/one/status',
    expected: { group: '', version: 'v1', plural: 'nodes', ...none, name: 'one', subresource: 'status' },
  },
  { path: '/api/v1/namespaces', expected: { group: '', version: 'v1', plural: 'namespaces', ...none } },
  {
    path: '/api/v1/namespaces/shop',
    expected: { group: '', version: 'v1', plural: 'namespaces', ...none, name: 'shop' },
  },
  {
    path: '/api/v1/namespaces/shop/status',
    expected: { group: '', version: 'v1', plural: 'namespaces', ...none, name: 'shop', subresource: 'status' },
  },
  {
    path: '/api/v1/namespaces/shop/pods',
    expected: { group: '', version: 'v1', plural: 'pods', ...none, namespace: 'shop' },
  },
  {
    path: '/api/v1/namespaces/shop/pods/cart/eviction',
    expected: { group: '', version: 'v1', plural: 'pods', namespace: 'shop', name: 'cart', subresource: 'eviction' },
  },
  {
    path: '/apis/apps/v1/namespaces/shop/deployments/web/scale',
    expected: {
      group: 'apps',
      version: 'v1',
      plural: 'deployments',
      namespace: 'shop',
      name: 'web',
      subresource: 'scale',
    },
  },
  { path: '/api/v1/nodes/a%2Fb', expected: { group: '', version: 'v1', plural: 'nodes', ...none, name: 'a/b' } },
  { path: '/api/v1', expected: undefined },
  { path: '/apis/apps', expected: undefined },
  { path: '/healthz', expected: undefined },
  { path: '/api/v1/nodes/one/status/more', expected: undefined },
  { path: '/api/v1/nodes/%zz', expected: undefined },
])('$path', ({ path, expected }) => {
  expect(parseResourcePath(path)).toEqual(expected)
})

test.each([
  { method: 'GET', name: 'one', query: {}, expected: 'get' },
  { method: 'GET', name: undefined, query: {}, expected: 'list' },
  { method: 'GET', name: undefined, query: { watch: 'true' }, expected: 'watch' },
  { method: 'GET', name: undefined, query: { watch: '1' }, expected: 'watch' },
  { method: 'POST', name: undefined, query: {}, expected: 'create' },
  { method: 'PUT', name: 'one', query: {}, expected: 'update' },
  { method: 'PATCH', name: 'one', query: {}, expected: 'patch' },
  { method: 'DELETE', name: 'one', query: {}, expected: 'delete' },
  { method: 'DELETE', name: undefined, query: {}, expected: 'deletecollection' },
] as const)('$method is $expected', ({ method, name, query, expected }) => {
  expect(verbOf(method, { group: '', version: 'v1', plural: 'nodes', ...none, name }, query)).toBe(expected)
})
