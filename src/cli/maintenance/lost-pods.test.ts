import { expect, test } from 'vitest'
import { FakeApi, failure } from '../../../test/build/fake-api.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { VirtualClock } from '../../runtime/virtual-clock.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { isLost, renderLostPods, warnOfLostPods } from './lost-pods.ts'
import type { ReachedCluster } from '../connect/reached-cluster.ts'

const owner = { apiVersion: 'v1', kind: 'Owner', name: 'a', uid: 'a' }
type Phase = NonNullable<Pod['status']>['phase']
const pod = (name: string, metadata: Partial<Pod['metadata']> = {}, phase: Phase = 'Running'): Pod => ({
  metadata: storedMeta({ namespace: 'shop', name, ...metadata }),
  status: { phase },
})

test.each<[string, Pod, boolean]>([
  ['a bare pod', pod('a'), true],
  ['one that somebody owns and nobody controls', pod('a', { ownerReferences: [owner] }), true],
  ['one with a controller', pod('a', { ownerReferences: [{ ...owner, controller: true }] }), false],
  ['a mirror of a static pod', pod('a', { annotations: { 'kubernetes.io/config.mirror': 'x' } }), false],
  ['one that has done its work', pod('a', {}, 'Succeeded'), false],
  ['one that failed', pod('a', {}, 'Failed'), false],
  ['one that goes anyway', pod('a', { deletionTimestamp: '2026-01-01T00:00:00Z' }), false],
])('%s', (_name, one, expected) => expect(isLost(one)).toBe(expected))

test('one line names the first few', () => {
  expect(renderLostPods([])).toBeUndefined()
  expect(renderLostPods([pod('once')])).toBe('warning: a pod has no controller, so it will not be recreated: shop/once')
  expect(renderLostPods(['g', 'f', 'e', 'd', 'c', 'b', 'a'].map((name) => pod(name)))).toBe(
    'warning: 7 pods have no controller, so they will not be recreated: shop/a, shop/b, shop/c, shop/d, shop/e and 2 more',
  )
})

function ground() {
  const api = new FakeApi()
  const clock = new VirtualClock()
  const cluster = { kube: buildKube(api, clock), signal: new AbortController().signal } as ReachedCluster
  const world = commandWorld()
  return { api, world, warn: (nodes: readonly string[]) => warnOfLostPods(world, cluster, nodes) }
}

test('a node costs one request, many nodes none, and a missing right nothing but the warning', async () => {
  const { api, world, warn } = ground()
  api.put('/api/v1/pods/once', pod('once'))
  await warn(['node-1'])
  expect(world.errors).toEqual([expect.stringContaining('shop/once')])
  expect(api.requests.map(({ query }) => query?.['fieldSelector'])).toEqual(['spec.nodeName=node-1'])
  await warn(Array.from({ length: 51 }, (_, at) => `node-${at}`))
  expect(api.requests).toHaveLength(1)
  api.fault = () => failure(403, 'Forbidden', 'you may not')
  await warn(['node-1'])
  expect(world.errors).toHaveLength(1)
})
