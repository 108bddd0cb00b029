import { expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { serviceAccountCredentials } from './service-account-credentials.ts'

function ground() {
  const clock = new VirtualClock()
  const api = new FakeApi()
  let issued = 0
  const refused = { now: false }
  api.fault = () => {
    if (refused.now) return failure(403, 'Forbidden', 'no')
    const expirationTimestamp = new Date(clock.nowMs() + 3_600_000).toISOString()
    return {
      status: 201,
      headers: {},
      body: { metadata: {}, status: { token: `token-${++issued}`, expirationTimestamp } },
    }
  }
  const credentials = serviceAccountCredentials({
    kube: buildKube(api, clock),
    clock,
    namespace: 'ns',
    name: 'lifeboat',
  })
  const token = async () => (await credentials.current()).token
  return { api, clock, credentials, token, refused }
}

test('a token is asked for once, and renewed before it runs out', async () => {
  const { api, clock, token } = ground()
  expect(await Promise.all([token(), token()])).toEqual(['token-1', 'token-1'])
  expect(api.requests).toHaveLength(1)
  expect(api.requests[0]).toMatchObject({
    method: 'POST',
    path: '/api/v1/namespaces/ns/serviceaccounts/lifeboat/token',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3_600 } },
  })
  await clock.advance(47 * 60_000)
  expect(await token()).toBe('token-1')
  await clock.advance(2 * 60_000)
  expect(await token()).toBe('token-2')
})

test('one that the server does not take is not offered again', async () => {
  const { credentials, token } = ground()
  expect(await token()).toBe('token-1')
  credentials.invalidate()
  expect(await token()).toBe('token-2')
})

test('while no new one is to be had the old one serves for as long as it lasts', async () => {
  const { clock, token, refused } = ground()
  await token()
  refused.now = true
  await clock.advance(50 * 60_000)
  expect(await token()).toBe('token-1')
  await clock.advance(11 * 60_000)
  await expect(token()).rejects.toThrow('no')
})
