import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { Store } from '../store.ts'
import { defaultRoles } from './default-roles.ts'
import { RoleBasedAuthorizer } from './role-based-authorizer.ts'

const store = new Store()
for (const { resource, object } of defaultRoles())
  store.put(resource, object.metadata.name, { ...object, metadata: storedMeta(object.metadata) })
for (const role of ['view', 'edit', 'admin']) {
  const resource = 'clusterrolebindings.rbac.authorization.k8s.io'
  const roleRef = { kind: 'ClusterRole', name: role }
  store.put(resource, role, {
    metadata: storedMeta({ name: role }),
    roleRef,
    subjects: [{ kind: 'Group', name: role }],
  })
}
const authorizer = new RoleBasedAuthorizer(store)
const nothing = { group: '', resource: '', subresource: undefined, namespace: 'shop', name: undefined }
const may = (group: string, verb: string, resource: string, more: object = {}) =>
  authorizer.authorize({ ...nothing, user: { name: 'x', groups: [group] }, verb, resource, ...more }).allowed

test.each([
  { who: 'view', can: 'get pods', cannot: 'get secrets' },
  { who: 'view', can: 'list events', cannot: 'create pods' },
  { who: 'edit', can: 'get secrets', cannot: 'create roles' },
  { who: 'edit', can: 'delete pods', cannot: 'delete nodes' },
  { who: 'edit', can: 'create pods', cannot: 'delete namespaces' },
  { who: 'system:authenticated', can: '', cannot: 'list pods' },
  { who: 'system:unauthenticated', can: '', cannot: 'get pods' },
])('$who can $can and cannot $cannot', ({ who, can, cannot }) => {
  const [verb = '', resource = ''] = can.split(' ')
  if (can !== '') expect(may(who, verb, resource)).toBe(true)
  const [otherVerb = '', otherResource = ''] = cannot.split(' ')
  expect(may(who, otherVerb, otherResource)).toBe(false)
})

test('whoever edits may evict, and whoever administers may hand out roles', () => {
  expect(may('edit', 'create', 'pods', { subresource: 'eviction' })).toBe(true)
  expect(may('view', 'create', 'pods', { subresource: 'eviction' })).toBe(false)
  expect(may('admin', 'create', 'roles', { group: 'rbac.authorization.k8s.io' })).toBe(true)
})

test('everybody sees the version, and whoever is known sees the kinds', () => {
  expect(may('system:unauthenticated', 'get', '', { path: '/version' })).toBe(true)
  expect(may('system:unauthenticated', 'get', '', { path: '/apis' })).toBe(false)
  expect(may('system:authenticated', 'get', '', { path: '/apis/apps/v1' })).toBe(true)
})
