import { expect, test } from 'vitest'
import { accessDenied, allowEverything } from './authorization.ts'

const user = { name: 'eve', groups: [] }
const attributes = {
  user,
  verb: 'delete',
  group: 'apps',
  resource: 'deployments',
  subresource: undefined,
  namespace: 'shop',
  name: 'web',
}

test.each([
  {
    asked: attributes,
    message:
      'deployments.apps "web" is forbidden: User "eve" cannot delete resource "deployments" in API group "apps" in the namespace "shop"',
  },
  {
    asked: { ...attributes, verb: 'list', group: '', resource: 'nodes', namespace: undefined, name: undefined },
    message: 'nodes is forbidden: User "eve" cannot list resource "nodes" in API group "" at the cluster scope',
  },
  {
    asked: { ...attributes, verb: 'create', group: '', resource: 'pods', subresource: 'eviction', name: 'a' },
    message:
      'pods "a" is forbidden: User "eve" cannot create resource "pods/eviction" in API group "" in the namespace "shop"',
  },
  {
    asked: { ...attributes, verb: 'get', path: '/metrics' },
    message: 'forbidden: User "eve" cannot get path "/metrics"',
  },
])('$message', ({ asked, message }) => {
  expect(accessDenied(asked)).toMatchObject({ code: 403, reason: 'Forbidden', message })
})

test('allowEverything does', () => {
  expect(allowEverything.authorize(attributes).allowed).toBe(true)
})
