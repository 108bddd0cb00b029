import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { silentLog } from '../../runtime/log.ts'
import { renderReleasedFrom } from './released-from.ts'
import { WorkloadCaches } from './workload-caches.ts'

const owner = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid, controller: true })

async function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  const caches = new WorkloadCaches({ kube, clock, random, log: silentLog, metrics: noKubeMetrics })
  const create = (name: string, ownerUid: string) =>
    kube.create(pods, {
      metadata: { namespace: 'shop', name, ownerReferences: [owner(ownerUid)] },
      spec: { containers: [{ name: 'main', image: 'web:1' }] },
    })
  const pod = await create('a', 'set')
  const following = caches.follow('shop', { resource: pods })
  await clock.advance(10)
  await following.synced
  return { clock, kube, caches, create, pod, following }
}

const names = (objects: readonly { readonly metadata: { readonly name?: string } }[]) =>
  objects.map(({ metadata }) => metadata.name)

test('shows what is followed, by name and by owner', async () => {
  const { clock, caches, create } = await ground()
  await create('b', 'other')
  await clock.advance(10)
  expect(names(caches.list(pods, 'shop'))).toEqual(['a', 'b'])
  expect(names(caches.ownedBy(pods, 'shop', 'set'))).toEqual(['a'])
  expect(caches.get(pods, 'shop', 'c')).toBeUndefined()
  expect(() => caches.list(pods, 'bank')).toThrow('pods of bank are not followed')
  caches[Symbol.dispose]()
})

test('shows what was written before the watch does', async () => {
  const { clock, caches, pod } = await ground()
  const released = renderReleasedFrom({ hash: 'h', replicaSet: 'web', deployment: { name: 'web', uid: 'd' }, atMs: 0 })
  const metadata = { ...pod.metadata, resourceVersion: '999', annotations: { [annotations.releasedFrom]: released } }
  const written = { ...pod, metadata }
  expect(caches.ownedBy(pods, 'shop', 'd')).toEqual([])
  await caches.keep(pods, podRefOf(pod), async () => written)
  expect(names(caches.ownedBy(pods, 'shop', 'd'))).toEqual(['a'])
  expect(caches.pod(podRefOf(pod))?.metadata.resourceVersion).toBe(written.metadata.resourceVersion)
  await clock.advance(10)
  expect(names(caches.ownedBy(pods, 'shop', 'd'))).toEqual(['a'])
  caches[Symbol.dispose]()
})

test('what was written to an object that is gone does not bring it back', async () => {
  const { clock, kube, caches, pod } = await ground()
  const body = { metadata: { labels: { late: 'answer' } } }
  await caches.keep(pods, podRefOf(pod), async () => {
    const written = await kube.patch(pods, { namespace: 'shop', name: 'a' }, { type: 'merge', body })
    await kube.delete(pods, { namespace: 'shop', name: 'a' }, { gracePeriodSeconds: 0 })
    await clock.advance(10)
    return written
  })
  expect(caches.list(pods, 'shop')).toEqual([])
  expect(caches.ownedBy(pods, 'shop', 'set')).toEqual([])
  expect(caches.pod(podRefOf(pod))).toBeUndefined()
  caches[Symbol.dispose]()
})

test('nobody counts on a pod that is about to go, for a while or until it turns out that it stays', async () => {
  const { clock, caches, pod } = await ground()
  const { uid } = podRefOf(pod)
  const isGoing = () =>
    caches
      .get(pods, 'shop', 'a')
      ?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'False') ?? false
  caches.expectToLeave(uid)
  expect(isGoing()).toBe(true)
  expect(caches.pod(podRefOf(pod))?.status?.conditions).toBeUndefined()
  caches.stays(uid)
  expect(isGoing()).toBe(false)
  caches.expectToLeave(uid)
  await clock.advance(15_000)
  expect(isGoing()).toBe(false)
  caches[Symbol.dispose]()
})

test('tells changes with their place, and follows one object of a kind without namespaces', async () => {
  const { clock, kube, caches, following } = await ground()
  const told: string[] = []
  using _subscription = caches.subscribe(({ object }, { resource, key }) =>
    told.push(`${resource.plural} ${key} ${object.metadata.name}`),
  )
  using _node = caches.follow('shop', { resource: nodes, name: 'node-1' })
  await clock.advance(10)
  for (const name of ['node-1', 'node-2']) await kube.create(nodes, { metadata: { name } })
  await clock.advance(10)
  expect(told).toEqual(['nodes node-1 node-1'])
  expect(caches.get(nodes, 'shop', 'node-1')?.metadata.name).toBe('node-1')
  expect(caches.size).toBe(2)
  following[Symbol.dispose]()
  expect(caches.size).toBe(1)
})

test('what the API server no longer has is not shown, though the watch still has it', async () => {
  const { caches, pod } = await ground()
  await caches.keep(pods, podRefOf(pod), async () => undefined)
  expect(caches.list(pods, 'shop')).toEqual([])
  expect(caches.ownedBy(pods, 'shop', 'set')).toEqual([])
  expect(caches.pod(podRefOf(pod))).toBeUndefined()
  caches[Symbol.dispose]()
})
