import { expect, test } from 'vitest'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { helmReleaseIn, isFresh, leaderIn } from './presence.ts'

const namespace = 'lifeboat-system'

function ground() {
  const clock = new VirtualClock()
  const api = new FakeApi()
  return { api, clock, parts: { kube: buildKube(api, clock), clock } }
}

test('Helm has the say over what bears the name of a release', async () => {
  const { api, parts } = ground()
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments/lifeboat`
  expect(await helmReleaseIn(parts, namespace)).toBeUndefined()
  api.put(path, { metadata: { name: 'lifeboat', namespace } })
  expect(await helmReleaseIn(parts, namespace)).toBeUndefined()
  const annotations = { 'meta.helm.sh/release-name': 'boat' }
  api.put(path, { metadata: { name: 'lifeboat', namespace, annotations } })
  expect(await helmReleaseIn(parts, namespace)).toBe('boat')
})

test('who leads is in the Lease, as long as it is renewed', async () => {
  const { api, clock, parts } = ground()
  expect(await leaderIn(parts, namespace)).toBeUndefined()
  const renewTime = new Date(clock.nowMs()).toISOString()
  const lease = { metadata: { name: 'lifeboat', namespace }, spec: { holderIdentity: 'host_1', renewTime } }
  api.put(`/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lifeboat`, lease)
  expect(await leaderIn(parts, namespace)).toBe('host_1')
  expect(await leaderIn(parts, namespace, 'lifeboat-descheduler')).toBeUndefined()
  await clock.advance(15_000)
  expect(await leaderIn(parts, namespace)).toBeUndefined()
})

test.each([
  ['2026-01-01T00:00:00.000000Z', true],
  ['2025-12-31T23:59:50.000000Z', true],
  ['2025-12-31T23:59:44.000000Z', false],
  ['', false],
])('a Lease renewed at %s is held: %s', (renewTime, expected) => {
  expect(isFresh(renewTime, Date.UTC(2026, 0, 1))).toBe(expected)
})
