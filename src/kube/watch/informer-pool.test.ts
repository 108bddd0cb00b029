import { expect, test } from 'vitest'
import type { ConfigMap } from '../../api/kubernetes/core.ts'
import { configMaps, namespaces } from '../../api/kubernetes/resources.ts'
import { silentLog } from '../../runtime/log.ts'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { countWatches } from '../../../test/build/counted-watches.ts'
import { InformerPool } from './informer-pool.ts'
import { noKubeMetrics } from '../metrics.ts'
import { byNamespace, wholeKind } from './whole-kind.ts'

function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  const pool = new InformerPool({
    kube,
    clock,
    random,
    log: silentLog,
    metrics: noKubeMetrics,
    resource: configMaps,
    selectionOf: (namespace) => ({ namespace }),
    indexes: { color: ({ data }) => (data?.['color'] === undefined ? [] : [data['color']]) },
  })
  const told: string[] = []
  pool.subscribe(({ kind, object }, key) => told.push(`${kind} ${object.metadata.name} under ${key}`))
  const create = (namespace: string, name: string, color: string) =>
    kube.create(configMaps, { metadata: { namespace, name }, data: { color } })
  return { clock, kube, pool, told, create }
}

test('follows what belongs to the keys that were asked for, and nothing else', async () => {
  const { clock, kube, pool, told, create } = ground()
  await kube.create(namespaces, { metadata: { name: 'bank' } })
  await create('shop', 'a', 'red')
  await create('bank', 'b', 'red')
  using following = pool.follow('shop')
  await clock.advance(10)
  await following.synced
  await create('shop', 'c', 'blue')
  await clock.advance(10)
  expect(told).toEqual(['added a under shop', 'added c under shop'])
  expect(
    pool
      .get('shop')
      ?.byIndex('color', 'blue')
      .map(({ metadata }) => metadata.name),
  ).toEqual(['c'])
  expect(pool.get('bank')).toBeUndefined()
})

test('stops when everybody who asked has let go, however often they say so', async () => {
  const { clock, pool } = ground()
  const one = pool.follow('shop')
  const other = pool.follow('shop')
  one[Symbol.dispose]()
  one[Symbol.dispose]()
  expect([...pool.keys()]).toEqual(['shop'])
  other[Symbol.dispose]()
  expect(pool.size).toBe(0)
  await clock.advance(10)
})

test('whoever lets go late does not end what was followed anew', async () => {
  const { clock, pool } = ground()
  const before = pool.follow('shop')
  pool[Symbol.dispose]()
  using _after = pool.follow('shop')
  before[Symbol.dispose]()
  expect(pool.size).toBe(1)
  await clock.advance(10)
})

test('one informer of all replaces those of many keys, and they come back when few are left', async () => {
  const { clock, random, transport: server } = buildServer()
  const { transport, open } = countWatches(server)
  const kube = buildKube(transport, clock)
  const options = { kube, clock, random, log: silentLog, metrics: noKubeMetrics, resource: configMaps }
  const whole = byNamespace(wholeKind<ConfigMap>(options), { above: () => 4 })
  const pool = new InformerPool<ConfigMap>({ ...options, selectionOf: (namespace) => ({ namespace }), whole })
  const told: string[] = []
  pool.subscribe(({ kind, object }, key) => told.push(`${kind} ${object.metadata.name} under ${key}`))
  const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6']
  for (const name of names) {
    await kube.create(namespaces, { metadata: { name } })
    await kube.create(configMaps, { metadata: { namespace: name, name: `in-${name}` } })
  }
  const expected = names.map((name) => `added in-${name} under ${name}`)

  const following = names.slice(0, 4).map((name) => pool.follow(name))
  await clock.advance(10)
  expect(open()).toHaveLength(4)
  following.push(...names.slice(4).map((name) => pool.follow(name)))
  await clock.advance(10)
  await Promise.all(following.map(({ synced }) => synced))
  expect(open()).toEqual(['/api/v1/configmaps?'])
  expect(told.toSorted()).toEqual(expected)

  told.length = 0
  for (const one of following.slice(1)) one[Symbol.dispose]()
  await clock.advance(10)
  expect(open()).toEqual(['/api/v1/namespaces/n1/configmaps?'])
  await kube.create(configMaps, { metadata: { namespace: 'n1', name: 'late' } })
  await kube.create(configMaps, { metadata: { namespace: 'n2', name: 'unseen' } })
  await clock.advance(10)
  expect(told).toEqual(['added late under n1'])
  pool[Symbol.dispose]()
  await clock.advance(10)
  expect(open()).toEqual([])
})
