import { expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { TransportError } from '../../kube/client/transport.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { followLeader } from './follow-leader.ts'

const leaseIn = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/lifeboat`
const nobody = 'No Lifeboat is at work; see kubectl -n lifeboat-system get pods'

function ground() {
  const api = new FakeApi()
  const clock = new VirtualClock()
  const parts = { kube: buildKube(api, clock), clock, random: seededRandom(1), log: silentLog, metrics: noKubeMetrics }
  const renew = (holderIdentity: string, path = leaseIn('lifeboat-system')) =>
    void api.put(path, { metadata: { name: 'lifeboat' }, spec: { holderIdentity } } as never)
  const renewFor = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 2) {
      renew('a')
      await clock.advance(2_000)
    }
  }
  return { api, clock, renew, renewFor, open: () => followLeader(parts, new AbortController().signal) }
}

test('while one renews all is well; one that falls silent is missed, until another takes over', async () => {
  const { clock, renew, renewFor, open } = ground()
  renew('a')
  await using leader = await open()
  await renewFor(60)
  expect(leader.trouble()).toBeUndefined()
  await clock.advance(20_000)
  expect(leader.trouble()).toBeUndefined()
  await clock.advance(10_000)
  expect(leader.trouble()).toBe(nobody)
  renew('b')
  await clock.advance(1)
  expect(leader.trouble()).toBeUndefined()
})

test('one that gives its place away is missed only if nobody takes it', async () => {
  const { clock, renew, open } = ground()
  renew('a')
  await using leader = await open()
  renew('')
  await clock.advance(5_000)
  expect(leader.trouble()).toBeUndefined()
  await clock.advance(25_000)
  expect(leader.trouble()).toBe(nobody)
})

test('one in another namespace is found, and nothing else is followed', async () => {
  const { api, clock, renew, open } = ground()
  renew('a', '/apis/coordination.k8s.io/v1/leases/lifeboat')
  await using leader = await open()
  await clock.advance(20_000)
  renew('a', '/apis/coordination.k8s.io/v1/leases/lifeboat')
  await clock.advance(20_000)
  expect(leader.trouble()).toBeUndefined()
  expect(api.requests.every(({ query }) => query?.['fieldSelector'] === 'metadata.name=lifeboat')).toBe(true)
})

test('who may not look is told nothing', async () => {
  const { api, clock, open } = ground()
  api.fault = () => failure(403, 'Forbidden', 'you may not')
  await using leader = await open()
  await clock.advance(60_000)
  expect(leader.trouble()).toBeUndefined()
})

test('an API server that is away says nothing about Lifeboat', async () => {
  const { api, clock, renew, open } = ground()
  renew('a')
  await using leader = await open()
  await clock.advance(1)
  api.fault = () => new TransportError('connection refused', { sent: 'no' })
  api.breakWatches()
  await clock.advance(60_000)
  expect(leader.trouble()).toBeUndefined()
  api.fault = () => undefined
  renew('a')
  await clock.advance(15_000)
  expect(leader.trouble()).toBeUndefined()
})
