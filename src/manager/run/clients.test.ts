import { expect, test } from 'vitest'
import { FakeApi } from '../../../test/build/fake-api.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { openClient } from './clients.ts'

const open = () => {
  const api = new FakeApi()
  const clock = new VirtualClock()
  return { api, clock, kube: openClient({ transport: api, clock, random: seededRandom(1), metrics: noKubeMetrics }) }
}

test('a client has a limit to what it asks at once', async () => {
  const { api, clock, kube } = open()
  const waiting = Promise.withResolvers<void>()
  let underWay = 0
  const request = api.request.bind(api)
  api.request = async (sent) => {
    underWay++
    await waiting.promise
    return request(sent)
  }
  const reads = Array.from({ length: 100 }, () => kube.get(pods, { namespace: 'shop', name: 'cart' }).catch(() => {}))
  await clock.advance(0)
  expect(underWay).toBe(32)
  waiting.resolve()
  await clock.advance(0)
  await Promise.all(reads)
})
