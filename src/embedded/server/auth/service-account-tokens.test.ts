import { beforeEach, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { seededRandom } from '../../../runtime/random.ts'
import { VirtualClock } from '../../../runtime/virtual-clock.ts'
import { Store } from '../store.ts'
import { ownAudience, ServiceAccountTokens } from './service-account-tokens.ts'

const account = { metadata: storedMeta({ name: 'cart', namespace: 'shop', uid: 'u1' }) }
let store: Store
let clock: VirtualClock
let tokens: ServiceAccountTokens

beforeEach(() => {
  store = new Store()
  clock = new VirtualClock()
  tokens = new ServiceAccountTokens({ store, clock, random: seededRandom(1), key: Buffer.from('key') })
  store.put('serviceaccounts', 'shop/cart', account)
  store.put('pods', 'shop/cart-1', { metadata: { name: 'cart-1', namespace: 'shop', uid: 'p1' } })
})

const order = (more: object = {}) => ({
  account,
  audiences: [ownAudience],
  expirationSeconds: 600,
  boundTo: undefined,
  ...more,
})

test('who has a token is its service account', () => {
  const { token, expiresMs } = tokens.issue(order())
  expect(expiresMs).toBe(Math.floor(clock.nowMs() / 1_000) * 1_000 + 600_000)
  expect(tokens.read(token)).toMatchObject({
    name: 'system:serviceaccount:shop:cart',
    uid: 'u1',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:shop'],
  })
})

test('a token ends in time, to the second', async () => {
  const { token } = tokens.issue(order())
  await clock.advance(599_000)
  expect(tokens.read(token)).toBeDefined()
  await clock.advance(1_000)
  expect(tokens.read(token)).toBeUndefined()
})

test('a token is good for its audiences alone', () => {
  const { token } = tokens.issue(order({ audiences: ['vault'] }))
  expect(tokens.read(token)).toBeUndefined()
  expect(tokens.read(token, 'vault')).toBeDefined()
})

test('a token does not outlive its account, even if another gets the name', () => {
  const { token } = tokens.issue(order())
  store.delete('serviceaccounts', 'shop/cart')
  expect(tokens.read(token)).toBeUndefined()
  store.put('serviceaccounts', 'shop/cart', { metadata: { name: 'cart', namespace: 'shop', uid: 'u2' } })
  expect(tokens.read(token)).toBeUndefined()
})

test('a token bound to a pod does not outlive it, and names it', () => {
  const { token } = tokens.issue(order({ boundTo: { kind: 'Pod', name: 'cart-1', uid: 'p1' } }))
  expect(tokens.read(token)?.extra).toMatchObject({ 'authentication.kubernetes.io/pod-name': ['cart-1'] })
  store.delete('pods', 'shop/cart-1')
  expect(tokens.read(token)).toBeUndefined()
})

test('what somebody else signed, or changed, is no token', () => {
  const stranger = new ServiceAccountTokens({ store, clock, random: seededRandom(1), key: Buffer.from('other') })
  const { token } = tokens.issue(order())
  const [head = '', body = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as object
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url')
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
  for (const wrong of [
    stranger.issue(order()).token,
    `${head}.${changed}.${signature}`,
    `${unsigned}.${body}.`,
    `${head}.${body}`,
    `${token}.x`,
    'nope',
    '',
  ]) {
    expect(tokens.read(wrong)).toBeUndefined()
  }
})
