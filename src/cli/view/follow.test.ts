import { expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { TransportError } from '../../kube/client/transport.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { follow } from './follow.ts'

function ground() {
  const api = new FakeApi()
  const clock = new VirtualClock()
  const parts = { kube: buildKube(api, clock), clock, random: seededRandom(1), log: silentLog, metrics: noKubeMetrics }
  const stop = new AbortController()
  const notices = { count: 0 }
  const options = { resource: nodes, notice: () => void notices.count++, signal: stop.signal }
  return { api, clock, stop, notices, open: () => follow(parts, options) }
}

test('what is there is known at once, what changes is noticed', async () => {
  const { api, clock, notices, open } = ground()
  api.put('/api/v1/nodes/a', { metadata: { name: 'a' } })
  await using following = await open()
  expect(following.informer.list()).toHaveLength(1)
  const before = notices.count
  api.put('/api/v1/nodes/b', { metadata: { name: 'b' } })
  await clock.advance(1)
  expect(notices.count).toBe(before + 1)
})

test('a missing right is an error, and not waited for', async () => {
  const { api, open } = ground()
  api.fault = () => failure(403, 'Forbidden', 'you may not')
  await expect(open()).rejects.toThrow('you may not')
})

test('a server that goes away is trouble in one line, until it is back', async () => {
  const { api, clock, notices, open } = ground()
  await using following = await open()
  expect(following.trouble()).toBeUndefined()
  await clock.advance(1)
  api.fault = () => new TransportError('connection refused', { sent: 'no' })
  api.breakWatches()
  await clock.advance(5_000)
  expect(following.trouble()).toMatch(/^the API server does not answer, trying again \(.*connection refused\)$/)
  const before = notices.count
  api.fault = () => undefined
  api.put('/api/v1/nodes/a', { metadata: { name: 'a' } })
  await clock.advance(60_000)
  expect(following.trouble()).toBeUndefined()
  expect(notices.count).toBeGreaterThan(before)
})

test('Ctrl-C while it begins ends it', async () => {
  const { stop, open } = ground()
  stop.abort(new Error('interrupted'))
  await expect(open()).rejects.toThrow('interrupted')
})

test('nothing is watched any more at its end', async () => {
  const { api, clock, open } = ground()
  const following = await open()
  await clock.advance(0)
  expect(api.openWatches).toBe(1)
  await following[Symbol.asyncDispose]()
  expect(api.openWatches).toBe(0)
})
