import { expect, test } from 'vitest'
import type { Pod } from '../api/kubernetes/core.ts'
import type { New } from '../api/kubernetes/meta.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { podRefOf } from '../api/evacuation/pod-reference.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { NodePods } from '../kube/watch/node-pods.ts'
import type { Transport } from '../kube/client/transport.ts'
import { silentLog } from '../runtime/log.ts'
import { buildServer } from '../../test/build/embedded-server.ts'
import { buildKube } from '../../test/build/kube.ts'
import { TrackedPods } from './tracked-pods.ts'

const { signal } = new AbortController()

function ground() {
  const { clock, random, transport } = buildServer()
  const gets: string[] = []
  const counted: Transport = {
    request: (request) => {
      if (/\/pods\/[^/]+$/.test(request.path)) gets.push(request.path)
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
  const kube = buildKube(transport, clock)
  const nodePods = new NodePods({ kube, clock, random, log: silentLog, metrics: noKubeMetrics })
  const tracked = new TrackedPods(buildKube(counted, clock), nodePods)
  const look = async (pod: Pod) => {
    const looking = tracked.look(podRefOf(pod), signal)
    await clock.advance(10)
    return looking
  }
  return { clock, kube, nodePods, tracked, gets, look }
}

const podOn = (nodeName: string | undefined, name = 'web'): New<Pod> => ({
  metadata: { name, namespace: 'shop' },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...(nodeName === undefined ? {} : { nodeName }) },
})
const now = { gracePeriodSeconds: 0 }

test('one question for the first pod of a node, none for the others', async () => {
  const { kube, look, gets, nodePods } = ground()
  const first = await kube.create(pods, podOn('node-1', 'a'))
  const second = await kube.create(pods, podOn('node-1', 'b'))
  expect((await look(first))?.metadata.name).toBe('a')
  expect((await look(second))?.metadata.name).toBe('b')
  expect(gets).toHaveLength(1)
  expect(nodePods.size).toBe(1)
})

test('a pod that was seen and is not there any more is gone, without a question', async () => {
  const { clock, kube, look, gets } = ground()
  const pod = await kube.create(pods, podOn('node-1'))
  await look(pod)
  await kube.delete(pods, { namespace: 'shop', name: 'web' }, now)
  await clock.advance(10)
  expect(await look(pod)).toBeUndefined()
  expect(gets).toHaveLength(1)
})

test('a pod that no cache has shown is asked for: absent is not gone', async () => {
  const { kube, look, tracked } = ground()
  const early = await kube.create(pods, podOn('node-1', 'a'))
  await look(early)
  const late = await kube.create(pods, podOn('node-1', 'b'))
  // Not through look, which would let the cache catch up.
  expect((await tracked.look(podRefOf(late), signal))?.metadata.uid).toBe(late.metadata.uid)
})

test('another pod under the same name is not the one', async () => {
  const { kube, look } = ground()
  const pod = await kube.create(pods, podOn('node-1'))
  await look(pod)
  await kube.delete(pods, { namespace: 'shop', name: 'web' }, now)
  await kube.create(pods, podOn('node-1'))
  expect(await look(pod)).toBeUndefined()
})

test('a pod that gets a node is followed there', async () => {
  const { clock, kube, look, nodePods } = ground()
  const pod = await kube.create(pods, podOn(undefined))
  expect((await look(pod))?.spec?.nodeName).toBeUndefined()
  await kube.bind({ namespace: 'shop', name: 'web' }, 'node-1')
  await clock.advance(10)
  expect((await look(pod))?.spec?.nodeName).toBe('node-1')
  expect(nodePods.size).toBe(1)
})

test('nodes are let go with their last pod', async () => {
  const { kube, look, tracked, nodePods } = ground()
  const pod = await kube.create(pods, podOn('node-1'))
  await look(pod)
  tracked.forget(podRefOf(pod))
  tracked.forget(podRefOf(pod))
  expect(nodePods.size).toBe(0)
})
