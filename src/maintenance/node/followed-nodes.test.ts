import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { noting, patchNode } from '../../../test/build/maintenance.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import type { TransportRequest } from '../../kube/client/transport.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { silentLog } from '../../runtime/log.ts'
import { seededRandom } from '../../runtime/random.ts'
import { FollowedNodes } from './followed-nodes.ts'

const label = { 'nodemaintenance.k8s.io/under-maintenance': 'true' }

function follow(ground: LifeboatGround) {
  const requests: TransportRequest[] = []
  const kube = buildKube(noting(requests)(ground.adminTransport), ground.clock)
  const parts = { kube, clock: ground.clock, random: seededRandom(1), log: silentLog, metrics: noKubeMetrics }
  const followed = new FollowedNodes(parts)
  const stop = new AbortController()
  const running = followed.run(stop.signal)
  return {
    followed,
    requests,
    need: (isNeeded: boolean) => {
      followed.isNeeded = isNeeded
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await running
    },
  }
}

test('nodes are followed while they are needed, and not otherwise', async () => {
  await using ground = await openLifeboatGround({ nodes: 3 })
  await using following = follow(ground)
  const { followed, requests, need } = following
  await ground.pass(1_000)
  expect(requests).toEqual([])
  expect(followed.list()).toEqual([])
  const seen: string[] = []
  using _changes = followed.subscribe(({ kind, object }) => void seen.push(`${kind} ${object.metadata.name}`))
  need(true)
  expect(followed.areKnown).toBe(false)
  await ground.pass(1_000)
  expect(followed.areKnown).toBe(true)
  expect(seen).toEqual(['added node-1', 'added node-2', 'added node-3'])
  expect(followed.get('node-2')).toMatchObject({ metadata: { name: 'node-2' }, spec: {} })
  expect(followed.get('node-2')?.status).toBeUndefined()
  need(false)
  expect(followed.areKnown).toBe(false)
  expect(followed.list()).toEqual([])
})

test('no node is told of before all of them are known', async () => {
  await using ground = await openLifeboatGround({ nodes: 150 })
  await using following = follow(ground)
  const { followed, requests, need } = following
  const known: boolean[] = []
  using _changes = followed.subscribe(() => void known.push(followed.areKnown))
  need(true)
  await ground.pass(1_000)
  expect(requests.filter(({ query }) => query?.['limit'] !== undefined).length).toBeGreaterThan(1)
  expect(known).toEqual(Array.from({ length: 150 }, () => true))
})

test('a node that is marked is followed until it is not, whoever is left', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  await patchNode(ground, 'node-1', { metadata: { labels: label } })
  await using following = follow(ground)
  const { followed, need } = following
  const { signal } = new AbortController()
  await ground.until(followed.findLeftBehind(signal))
  expect(followed.list()).toHaveLength(2)
  need(false)
  expect(followed.list()).toHaveLength(2)
  await patchNode(ground, 'node-1', { metadata: { labels: { 'nodemaintenance.k8s.io/under-maintenance': null } } })
  await ground.pass(1_000)
  expect(followed.list()).toEqual([])
})

test('who asks while nobody follows them gets them from the API server', async () => {
  await using ground = await openLifeboatGround({ nodes: 2 })
  await using following = follow(ground)
  const { followed, requests, need } = following
  const { signal } = new AbortController()
  expect(await ground.until(followed.read(signal))).toHaveLength(2)
  expect(requests).toHaveLength(1)
  need(true)
  expect(await ground.until(followed.read(signal))).toHaveLength(2)
  const asked = requests.length
  expect(await ground.until(followed.read(signal))).toHaveLength(2)
  expect(requests).toHaveLength(asked)
})

test('5,000 nodes that are not followed yet are ten requests for their metadata, whatever else is under way', async () => {
  const count = 5_000
  await using ground = await openLifeboatGround({ nodes: count, installed: false, controllers: false })
  await using following = follow(ground)
  const { followed, requests, need } = following
  const found = await ground.until(followed.read(new AbortController().signal))
  expect(new Set(found.map(({ metadata }) => metadata.name)).size).toBe(count)
  expect(found[0]).toMatchObject({ metadata: { labels: { 'kubernetes.io/hostname': found[0]?.metadata.name } } })
  const asked = requests.map(({ query, headers }) => [query?.['limit'], headers?.['accept']])
  const metadataOnly = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io'
  expect(asked).toEqual(Array.from({ length: 10 }, () => ['500', metadataOnly]))
  // Whole nodes are on their way now: the next caller does not wait for all of them.
  need(true)
  expect(await ground.until(followed.read(new AbortController().signal))).toHaveLength(count)
  expect(requests.filter(({ headers }) => headers?.['accept'] === metadataOnly)).toHaveLength(20)
})

test('what this process wrote to a node is there before the watch has shown it', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using following = follow(ground)
  const { followed, need } = following
  need(true)
  await ground.pass(1_000)
  const seen = followed.get('node-1')
  if (seen === undefined) throw new Error('it is known')
  const written = { ...seen, metadata: { ...seen.metadata, resourceVersion: '1000000', labels: label } }
  await followed.keep('node-1', async () => ({ ...written, status: { conditions: [] } }))
  expect(followed.get('node-1')?.metadata.labels).toEqual(label)
  expect(followed.get('node-1')?.status).toBeUndefined()
  expect(followed.list()).toEqual([seen])
})

test('who waits for the nodes does not wait for one that stopped following them before it had a list', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using following = follow(ground)
  const { followed, need } = following
  need(true)
  const [known, read] = [followed.synced(), followed.read(new AbortController().signal)]
  need(false)
  await ground.until(known)
  expect(followed.areKnown).toBe(false)
  expect(await ground.until(read)).toHaveLength(1)
})

test('a mark that is written while the last maintenance goes is seen all the same', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using following = follow(ground)
  const { followed, need } = following
  need(true)
  await ground.pass(1_000)
  const body = { metadata: { labels: label } }
  await ground.until(
    followed.keep('node-1', async () => {
      need(false)
      expect(followed.list()).toEqual([])
      return await ground.admin.patch(nodes, { name: 'node-1' }, { type: 'merge', body })
    }),
  )
  await ground.pass(1_000)
  expect(followed.list().map(({ metadata }) => metadata.labels)).toMatchObject([label])
})

test('a mark that the watch has not shown yet keeps the nodes followed', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using following = follow(ground)
  const { followed, need } = following
  need(true)
  await ground.pass(1_000)
  const seen = followed.get('node-1')
  if (seen === undefined) throw new Error('it is known')
  const written = { ...seen, metadata: { ...seen.metadata, resourceVersion: '1000000', labels: label } }
  await followed.keep('node-1', async () => written)
  need(false)
  expect(followed.get('node-1')).toMatchObject({ metadata: { labels: label } })
})
