import { beforeEach, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { Store } from '../store.ts'
import { RoleBasedAuthorizer } from './role-based-authorizer.ts'

const apiGroup = 'rbac.authorization.k8s.io'
const readPods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const asked = { verb: 'get', group: '', resource: 'pods', subresource: undefined, namespace: 'shop', name: 'a' }
let store: Store
let authorizer: RoleBasedAuthorizer

function put(plural: string, name: string, namespace: string | undefined, content: object): void {
  const metadata = storedMeta({ name, ...(namespace === undefined ? {} : { namespace }) })
  store.put(`${plural}.${apiGroup}`, namespace === undefined ? name : `${namespace}/${name}`, {
    ...content,
    metadata,
  })
}

const bind = (kind: string, role: string, subject: object) => ({
  roleRef: { apiGroup, kind, name: role },
  subjects: [subject],
})
const may = (name: string, groups: string[] = [], attributes: object = {}) =>
  authorizer.authorize({ ...asked, ...attributes, user: { name, groups } })

beforeEach(() => {
  store = new Store()
  authorizer = new RoleBasedAuthorizer(store)
  put('clusterroles', 'reader', undefined, { rules: [readPods] })
  put('roles', 'reader', 'shop', { rules: [readPods] })
})

test('nobody may do anything, but administrators may do everything', () => {
  expect(may('joe')).toEqual({ allowed: false, reason: '' })
  expect(may('joe', ['system:masters'], { verb: 'delete', resource: 'nodes' }).allowed).toBe(true)
})

test('a cluster role bound in the cluster counts everywhere', () => {
  put('clusterrolebindings', 'all', undefined, bind('ClusterRole', 'reader', { kind: 'User', name: 'joe' }))
  expect(may('joe')).toEqual({
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "all" of ClusterRole "reader" to User "joe"',
  })
  expect(may('joe', [], { namespace: undefined }).allowed).toBe(true)
  expect(may('ann').allowed).toBe(false)
})

test.each([{ kind: 'ClusterRole' }, { kind: 'Role' }])(
  'a $kind bound in a namespace counts there alone',
  ({ kind }) => {
    put('rolebindings', 'here', 'shop', bind(kind, 'reader', { kind: 'Group', name: 'staff' }))
    expect(may('joe', ['staff'])).toEqual({
      allowed: true,
      reason: `RBAC: allowed by RoleBinding "here/shop" of ${kind} "reader" to Group "staff"`,
    })
    expect(may('joe', ['staff'], { namespace: 'bank' }).allowed).toBe(false)
    expect(may('joe', ['staff'], { namespace: undefined }).allowed).toBe(false)
  },
)

test('a service account of the binding, or of another namespace, is meant by its own name', () => {
  put('rolebindings', 'one', 'shop', bind('Role', 'reader', { kind: 'ServiceAccount', name: 'cart' }))
  put(
    'rolebindings',
    'two',
    'shop',
    bind('Role', 'reader', { kind: 'ServiceAccount', name: 'vault', namespace: 'bank' }),
  )
  expect(may('system:serviceaccount:shop:cart').allowed).toBe(true)
  expect(may('system:serviceaccount:bank:vault').reason).toContain('to ServiceAccount "vault/bank"')
  expect(may('system:serviceaccount:bank:cart').allowed).toBe(false)
})

test('a subject without a name is nobody', () => {
  put('clusterrolebindings', 'none', undefined, bind('ClusterRole', 'reader', { kind: 'User' }))
  expect([may('').allowed, may('undefined').allowed]).toEqual([false, false])
})

test('a change of a role or a binding counts at once', () => {
  put('clusterrolebindings', 'all', undefined, bind('ClusterRole', 'reader', { kind: 'User', name: 'joe' }))
  expect(may('joe').allowed).toBe(true)
  put('clusterroles', 'reader', undefined, { rules: [] })
  expect(may('joe').allowed).toBe(false)
  put('clusterroles', 'reader', undefined, { rules: [readPods] })
  expect(may('joe').allowed).toBe(true)
  store.delete(`clusterrolebindings.${apiGroup}`, 'all')
  expect(may('joe').allowed).toBe(false)
})

test('a binding to a role that is not there grants nothing', () => {
  put('clusterrolebindings', 'all', undefined, bind('ClusterRole', 'nope', { kind: 'User', name: 'joe' }))
  expect(may('joe').allowed).toBe(false)
})

test('lists what somebody may do', () => {
  put('rolebindings', 'here', 'shop', bind('Role', 'reader', { kind: 'User', name: 'joe' }))
  expect(authorizer.rulesOf({ name: 'joe', groups: [] }, 'shop')).toEqual([readPods])
  expect(authorizer.rulesOf({ name: 'joe', groups: [] }, 'bank')).toEqual([])
})
