import { afterEach, describe, expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import type { Manifest } from '../../api/kubernetes/meta.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { silentLog, type Log } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { Informer } from './informer.ts'
import { noKubeMetrics } from '../metrics.ts'
import { TransportError } from '../client/transport.ts'

const path = (name: string) => `/api/v1/pods/${name}`
const pod = (name: string): Manifest => ({ metadata: { namespace: 'shop', name } })

const stops: AbortController[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop.abort(new Error('the test is over'))
})

function setUp(options: { log?: Log } = {}) {
  const clock = new VirtualClock()
  const api = new FakeApi()
  const stop = new AbortController()
  stops.push(stop)
  const informer = new Informer({
    kube: buildKube(api, clock),
    resource: pods,
    clock,
    random: seededRandom(1),
    log: options.log ?? silentLog,
    metrics: noKubeMetrics,
  })
  const told: string[] = []
  informer.subscribe(({ kind, object }) => told.push(`${kind} ${object.metadata.name}`))
  const start = () => ({ ended: informer.run(stop.signal), stop: () => stop.abort(new Error('enough')) })
  const names = () =>
    informer
      .list()
      .map(({ metadata }) => metadata.name)
      .toSorted((one, other) => one.localeCompare(other))
  const lists = () =>
    api.requests.filter(({ query }) => query?.['limit'] !== undefined && query['continue'] === undefined).length
  return { clock, api, informer, told, start, names, lists }
}

describe('an informer', () => {
  test('lists in pages, then follows', async () => {
    const { api, clock, informer, told, start, names } = setUp()
    for (let count = 0; count < 1_200; count++) api.put(path(`p${count}`), pod(`p${count}`))
    start()
    expect(informer.isSynced).toBe(false)
    await clock.advance(0)
    await informer.synced()
    expect(informer.size).toBe(1_200)
    expect(api.requests.filter(({ query }) => query?.['limit'] !== undefined)).toHaveLength(3)
    told.length = 0
    api.put(path('new'), pod('new'))
    api.put(path('new'), pod('new'))
    api.remove(path('new'))
    await clock.advance(0)
    expect(told).toEqual(['added new', 'updated new', 'deleted new'])
    expect(names()).not.toContain('new')
  })

  test('resumes after a broken watch: nothing lost, nothing twice, no second list', async () => {
    const { api, clock, told, start, lists } = setUp()
    api.put(path('a'), pod('a'))
    start()
    await clock.advance(0)
    api.breakWatches()
    api.put(path('b'), pod('b'))
    await clock.advance(60_000)
    api.breakWatches()
    api.remove(path('a'))
    await clock.advance(60_000)
    expect(told).toEqual(['added a', 'added b', 'deleted a'])
    expect(lists()).toBe(1)
  })

  test('lists again after 410 and tells what was deleted and replaced in the gap', async () => {
    const { api, clock, informer, told, start, names, lists } = setUp()
    for (const name of ['kept', 'deleted', 'replaced']) api.put(path(name), pod(name))
    start()
    await clock.advance(0)
    const uid = informer.get({ namespace: 'shop', name: 'replaced' })?.metadata.uid
    told.length = 0
    api.fault = ({ query }) => (query?.['watch'] === undefined ? undefined : new TransportError('down', { sent: 'no' }))
    api.breakWatches()
    await clock.advance(1_000)
    api.remove(path('deleted'))
    api.remove(path('replaced'))
    api.put(path('replaced'), pod('replaced'))
    api.compact()
    api.fault = () => undefined
    await clock.advance(60_000)
    expect(told).toEqual(['deleted deleted', 'deleted replaced', 'added replaced'])
    expect(informer.get({ namespace: 'shop', name: 'replaced' })?.metadata.uid).not.toBe(uid)
    expect(names()).toEqual(['kept', 'replaced'])
    expect(lists()).toBe(2)
  })

  test.each([
    { name: 'the server is out of reach', fault: () => new TransportError('connect ECONNREFUSED', { sent: 'no' }) },
    { name: 'the server answers 500', fault: () => failure(500, 'InternalError', 'etcd is gone') },
    { name: 'the server answers 503', fault: () => failure(503, 'ServiceUnavailable', 'shutting down') },
    { name: 'the right to list is missing', fault: () => failure(403, 'Forbidden', 'no') },
    { name: 'the token is refused', fault: () => failure(401, 'Unauthorized', 'no') },
    { name: 'the kind is not there yet', fault: () => failure(404, 'NotFound', 'no such kind') },
    { name: 'a proxy answers nonsense', fault: () => ({ status: 200, headers: {}, body: 'hello' }) },
  ])('goes on for ever while $name, within 15 s of its end', async ({ fault }) => {
    const { api, clock, informer, start, names } = setUp()
    api.fault = fault
    start()
    await clock.advance(3_600_000)
    expect(informer.isSynced).toBe(false)
    const tries = api.requests.length
    expect(tries).toBeGreaterThan(200)
    expect(tries).toBeLessThan(2_500)
    api.put(path('a'), pod('a'))
    api.fault = () => undefined
    await clock.advance(18_000)
    expect(names()).toEqual(['a'])
  })

  test('does not ask in a hot loop when every watch ends at once', async () => {
    const { api, clock, start } = setUp()
    start()
    await clock.advance(0)
    api.watch = async (request) => {
      api.requests.push(request)
      return { kind: 'stream', events: (async function* nothing() {})() }
    }
    api.breakWatches()
    api.requests.length = 0
    await clock.advance(600_000)
    expect(api.requests.length).toBeLessThan(100)
  })

  test('ends a watch that stays silent beyond its agreed end, and opens another', async () => {
    const { api, clock, start } = setUp()
    start()
    await clock.advance(0)
    const watches = () => api.requests.filter(({ query }) => query?.['watch'] === 'true').length
    expect(watches()).toBe(1)
    await clock.advance(631_000 + 1_000)
    expect(watches()).toBe(2)
    expect(api.openWatches).toBe(1)
  })

  test('knows for how long the watch has said nothing', async () => {
    const { api, clock, informer, start } = setUp()
    start()
    await clock.advance(1_000)
    expect(informer.silentForMs()).toBe(Number.POSITIVE_INFINITY)
    api.put(path('a'), pod('a'))
    await clock.advance(0)
    expect(informer.silentForMs()).toBe(0)
    await clock.advance(3_000)
    expect(informer.silentForMs()).toBe(3_000)
  })

  test('takes a bookmark as the version to resume from', async () => {
    const { api, clock, start } = setUp()
    api.put(path('a'), pod('a'))
    const watch = api.watch.bind(api)
    let watches = 0
    api.watch = async (request) => {
      if (watches++ > 0) return watch(request)
      return {
        kind: 'stream',
        events: (async function* bookmark() {
          yield { type: 'BOOKMARK', object: { metadata: { resourceVersion: '4711' } } }
          throw new TransportError('closed', { sent: 'maybe' })
        })(),
      }
    }
    start()
    await clock.advance(10_000)
    expect(api.requests.at(-1)?.query?.['resourceVersion']).toBe('4711')
  })

  test('says once that there is trouble and once that it is over', async () => {
    const lines: string[] = []
    const log: Log = {
      ...silentLog,
      warn: (_, message) => lines.push(message),
      info: (_, message) => lines.push(message),
      child: () => log,
    }
    const { api, clock, start } = setUp({ log })
    api.fault = () => new TransportError('down', { sent: 'no' })
    start()
    await clock.advance(600_000)
    api.fault = () => undefined
    api.put(path('a'), pod('a'))
    await clock.advance(30_000)
    api.put(path('a'), pod('a'))
    await clock.advance(30_000)
    expect(lines).toEqual(['cannot follow the cluster, trying again', 'following the cluster again'])
  })

  test('a watch that was cancelled leaves no timer, no watch and no listener behind', async () => {
    const { api, clock, start } = setUp()
    const run = start()
    await clock.advance(0)
    run.stop()
    await run.ended
    await clock.advance(0)
    expect(clock.pendingTimers).toBe(0)
    expect(api.openWatches).toBe(0)
  })
})
