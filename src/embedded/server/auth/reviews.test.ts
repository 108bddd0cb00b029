import { beforeEach, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { seededRandom } from '../../../runtime/random.ts'
import { VirtualClock } from '../../../runtime/virtual-clock.ts'
import { reviewKinds } from '../kinds/review-kinds.ts'
import { plainKinds } from '../kinds/cluster-kinds.ts'
import type { User } from '../request.ts'
import { Store } from '../store.ts'
import { defaultRoles } from './default-roles.ts'
import { reviewsOf } from './reviews.ts'
import { RoleBasedAuthorizer } from './role-based-authorizer.ts'
import { ServiceAccountTokens } from './service-account-tokens.ts'

const joe: User = { name: 'joe', uid: 'u7', groups: ['system:authenticated'] }
let reviews: ReturnType<typeof reviewsOf>

beforeEach(() => {
  const store = new Store()
  const clock = new VirtualClock()
  const authorizer = new RoleBasedAuthorizer(store)
  const tokens = new ServiceAccountTokens({ store, clock, random: seededRandom(1), key: Buffer.from('key') })
  for (const { resource, object } of defaultRoles())
    store.put(resource, object.metadata.name, { ...object, metadata: storedMeta(object.metadata) })
  store.put('serviceaccounts', 'shop/cart', { metadata: { name: 'cart', namespace: 'shop', uid: 'u1' } })
  store.put('pods', 'shop/cart-1', { metadata: { name: 'cart-1', namespace: 'shop', uid: 'p1' } })
  reviews = reviewsOf({
    store,
    clock,
    authorizer,
    tokens,
    readToken: (token, audience) => tokens.read(token, audience),
  })
})

function ask(id: string, body: object, where: { namespace?: string; name?: string; user?: User } = {}): object {
  const plural = id.split('.')[0]?.split('/')[0]
  const definition = [...reviewKinds, ...plainKinds].find((one) => one.plural === plural)
  const review = reviews.get(id)
  if (definition === undefined || review === undefined) throw new Error(`there is no ${id}`)
  const request = {
    method: 'POST',
    path: '',
    query: {},
    headers: {},
    body,
    user: where.user ?? joe,
    signal: undefined,
  } as const
  const target = {
    request,
    definition,
    namespace: where.namespace,
    name: where.name,
    subresource: undefined,
    dryRun: false,
  }
  return review(target)
}

const access = 'subjectaccessreviews.authorization.k8s.io'
const ownAccess = 'selfsubjectaccessreviews.authorization.k8s.io'
const readVersion = { nonResourceAttributes: { path: '/version', verb: 'get' } }
const deletePods = { resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'shop' } }

test('may somebody do something?', () => {
  const allowed = ask(access, { spec: { user: 'ann', groups: ['system:authenticated'], ...readVersion } })
  expect(allowed).toMatchObject({
    kind: 'SubjectAccessReview',
    spec: { user: 'ann' },
    status: { allowed: true, reason: expect.stringMatching(/^RBAC: allowed by ClusterRoleBinding/) },
  })
  expect(ask(access, { spec: { user: 'ann', ...deletePods } })).toMatchObject({ status: { allowed: false } })
  expect(ask(access, { spec: { groups: ['system:masters'], ...deletePods } })).toMatchObject({
    status: { allowed: true },
  })
})

test.each([
  { name: 'nothing to do', spec: { user: 'ann' }, words: 'exactly one of nonResourceAttributes or resourceAttributes' },
  { name: 'two things to do', spec: { user: 'ann', ...readVersion, ...deletePods }, words: 'exactly one of' },
  { name: 'nobody', spec: deletePods, words: 'at least one of user or group must be specified' },
])('a question about $name is refused', ({ spec, words }) => {
  expect(() => ask(access, { spec })).toThrow(words)
})

test('may somebody do something here? Only about here', () => {
  const local = 'localsubjectaccessreviews.authorization.k8s.io'
  expect(ask(local, { spec: { user: 'ann', ...deletePods } }, { namespace: 'shop' })).toMatchObject({
    status: { allowed: false },
  })
  expect(() => ask(local, { spec: { user: 'ann', ...deletePods } }, { namespace: 'bank' })).toThrow(
    'must match namespace',
  )
})

test('may I? What may I? Who am I?', () => {
  expect(ask(ownAccess, { spec: readVersion })).toMatchObject({ status: { allowed: true } })
  expect(ask('selfsubjectrulesreviews.authorization.k8s.io', { spec: { namespace: 'shop' } })).toMatchObject({
    status: {
      resourceRules: [{ verbs: ['create'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] }, {}],
      nonResourceRules: [{ verbs: ['get'] }, { verbs: ['get'] }],
      incomplete: false,
    },
  })
  expect(() => ask('selfsubjectrulesreviews.authorization.k8s.io', { spec: {} })).toThrow('no namespace')
  expect(ask('selfsubjectreviews.authentication.k8s.io', {})).toMatchObject({
    status: { userInfo: { username: 'joe', uid: 'u7', groups: ['system:authenticated'] } },
  })
})

const cart = { namespace: 'shop', name: 'cart' }
const tokenOf = (spec: object) =>
  (ask('serviceaccounts/token', { spec }, cart) as { status: { token: string } }).status.token
const tokenReview = (spec: object) => ask('tokenreviews.authentication.k8s.io', { spec })

test('a token is issued, and known again by its audience', () => {
  expect(tokenReview({ token: tokenOf({}) })).toMatchObject({
    status: {
      authenticated: true,
      user: { username: 'system:serviceaccount:shop:cart', groups: expect.arrayContaining(['system:authenticated']) },
    },
  })
  const token = tokenOf({ audiences: ['vault'], expirationSeconds: 700 })
  expect(tokenReview({ token })).toMatchObject({ status: { user: {}, error: 'invalid bearer token' } })
  expect(tokenReview({ token, audiences: ['vault', 'other'] })).toMatchObject({ status: { audiences: ['vault'] } })
  expect(() => tokenReview({})).toThrow('token is required')
})

test.each([
  {
    name: 'too short a time',
    spec: { expirationSeconds: 60 },
    words: 'may not specify a duration less than 10 minutes',
  },
  { name: 'too long a time', spec: { expirationSeconds: 2 ** 33 }, words: 'larger than 2^32' },
  {
    name: 'a pod that is not there',
    spec: { boundObjectRef: { kind: 'Pod', name: 'x' } },
    words: 'pods "x" not found',
  },
  {
    name: 'another pod of that name',
    spec: { boundObjectRef: { kind: 'Pod', name: 'cart-1', uid: 'p0' } },
    words: 'UID',
  },
  { name: 'something else', spec: { boundObjectRef: { kind: 'Song', name: 'x' } }, words: 'cannot bind token' },
])('a token for $name is refused', ({ spec, words }) => {
  expect(() => tokenOf(spec)).toThrow(words)
})

test('a token can be bound to a pod, and is refused for an account that is not there', () => {
  expect(tokenReview({ token: tokenOf({ boundObjectRef: { kind: 'Pod', name: 'cart-1' } }) })).toMatchObject({
    status: { user: { extra: { 'authentication.kubernetes.io/pod-uid': ['p1'] } } },
  })
  expect(() => ask('serviceaccounts/token', { spec: {} }, { ...cart, name: 'x' })).toThrow(
    'serviceaccounts "x" not found',
  )
})
