import { expect, test } from 'vitest'
import { buildServer } from '../../test/build/embedded-server.ts'
import { Informer } from '../kube/watch/informer.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { configMaps } from '../api/kubernetes/resources.ts'
import { silentLog } from '../runtime/log.ts'
import { seededRandom } from '../runtime/random.ts'
import { buildKube } from '../../test/build/kube.ts'

test('an informer follows the embedded API server as it does a real one', async () => {
  const { transport, clock, server } = buildServer()
  const kube = buildKube(transport, clock)
  const stop = new AbortController()
  const informer = new Informer({
    kube,
    resource: configMaps,
    clock,
    random: seededRandom(1),
    log: silentLog,
    metrics: noKubeMetrics,
  })
  const running = informer.run(stop.signal)
  const map = (name: string) => ({ metadata: { namespace: 'shop', name } })
  await kube.create(configMaps, map('a'))
  await clock.advance(0)
  await kube.create(configMaps, map('b'))
  await clock.advance(0)
  server.compact()
  await kube.delete(configMaps, { namespace: 'shop', name: 'a' })
  await clock.advance(700_000)
  expect(informer.list().map(({ metadata }) => metadata.name)).toEqual(['b'])
  stop.abort(new Error('enough'))
  await running
  await clock.advance(0)
  expect(clock.pendingTimers).toBe(0)
})

test('what may not be sent is not', async () => {
  const { transport, store } = buildServer()
  const beforeSending = () => {
    throw new Error('kept back')
  }
  const request = {
    method: 'POST',
    path: '/api/v1/namespaces',
    body: { metadata: { name: 'x' } },
    beforeSending,
  } as const
  await expect(transport.request(request)).rejects.toThrow('kept back')
  await expect(transport.request({ ...request, signal: AbortSignal.abort(new Error('over')) })).rejects.toThrow('over')
  expect(store.get('namespaces', 'x')).toBeUndefined()
})

test('a watch is not a request, and what is no watch is refused as one', async () => {
  const { transport } = buildServer()
  await expect(transport.request({ method: 'GET', path: '/api/v1/nodes', query: { watch: 'true' } })).rejects.toThrow(
    'is a watch',
  )
  expect(await transport.watch({ method: 'GET', path: '/api/v1/nothing', query: { watch: 'true' } })).toMatchObject({
    kind: 'refused',
    status: 404,
  })
})
