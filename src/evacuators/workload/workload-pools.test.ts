import { expect, test } from 'vitest'
import type { Deployment } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { deployments, leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { NodePods } from '../../kube/watch/node-pods.ts'
import { silentLog } from '../../runtime/log.ts'
import { countWatches } from '../../../test/build/counted-watches.ts'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { allPods, isFollowedSingly, isPods, openPool, ownersOf, slimWorkload } from './workload-pools.ts'

test('the owners of an object are the UIDs of its references', () => {
  const owner = (uid: string) => ({ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid })
  expect(ownersOf(stored<Pod>({}))).toEqual([])
  expect(ownersOf(stored<Pod>({ metadata: { ownerReferences: [owner('u')] } }))).toEqual(['u'])
})

test('single objects are followed where a namespace may have very many, or where there is none', () => {
  expect([leases, nodes, pods, deployments].map((resource) => isFollowedSingly(resource))).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect([pods, deployments].map((resource) => isPods(resource))).toEqual([true, false])
})

test('of a workload all is kept but what its pods look like, and what others note on it', () => {
  const selector = { matchLabels: { app: 'web' } }
  const spec = { replicas: 2, selector, template: { metadata: { labels: { app: 'web' } } } }
  const annotations = { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' }
  const others = { 'kubectl.kubernetes.io/last-applied-configuration': '{}', 'example.com/note': 'long' }
  const metadata = storedMeta({ name: 'web', namespace: 'shop', annotations })
  const deployment = { metadata: { ...metadata, annotations: { ...annotations, ...others } }, spec } as Deployment
  expect(slimWorkload(deployment)).toEqual({ metadata, spec: { replicas: 2, selector } })
  const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota' }
  const conditions = [{ type: 'Available', status: 'True' }, failure]
  const status = { replicas: 2, conditions } as NonNullable<Deployment['status']>
  expect(slimWorkload({ ...deployment, status } as Deployment)).toMatchObject({
    status: { replicas: 2, conditions: [failure] },
  })
  const bare = storedMeta({ name: 'web', namespace: 'shop' })
  expect(slimWorkload({ metadata: { ...bare, annotations: others } })).toEqual({ metadata: bare, spec: {} })
})

test('while many nodes drain, pods are watched once, for nodes and for workloads', async () => {
  const { clock, random, transport: server } = buildServer()
  const { transport, open } = countWatches(server)
  const kube = buildKube(transport, clock)
  const parts = { kube, clock, random, log: silentLog, metrics: noKubeMetrics }
  for (const node of ['node-7', 'elsewhere']) {
    const spec = { nodeName: node, containers: [{ name: 'main', image: 'web:1' }] }
    await kube.create(pods, { metadata: { name: `on-${node}`, namespace: 'shop' }, spec })
  }
  const all = allPods(parts)
  const nodePods = new NodePods(parts, all)
  for (let n = 0; n < 200; n++) nodePods.follow(`node-${n}`)
  await clock.advance(10)
  expect(open()).toHaveLength(200)
  nodePods.follow('node-200')
  const workloads = openPool(parts, pods, all)
  using shop = workloads.follow('shop')
  await clock.advance(10)
  await shop.synced
  expect(open()).toEqual(['/api/v1/pods?'])
  expect(nodePods.list('node-7').map(({ metadata }) => metadata.name)).toEqual(['on-node-7'])
  const names = workloads
    .get('shop')
    ?.list()
    .map(({ metadata }) => metadata.name)
  expect(names?.toSorted()).toEqual(['on-elsewhere', 'on-node-7'])
  nodePods[Symbol.dispose]()
  workloads[Symbol.dispose]()
  await clock.advance(10)
  expect(open()).toEqual([])
})

test.each([
  { size: 60, followed: 6, watches: 6 },
  { size: 60, followed: 7, watches: 1 },
  { size: 20, followed: 5, watches: 5 },
  { size: 20, followed: 6, watches: 1 },
])('of $size nodes $followed are followed by $watches watches', async ({ size, followed, watches }) => {
  const { clock, random, transport: server } = buildServer()
  const { transport, open } = countWatches(server)
  const parts = { kube: buildKube(transport, clock), clock, random, log: silentLog, metrics: noKubeMetrics }
  const nodePods = new NodePods(parts, allPods(parts), () => size)
  for (let n = 0; n < followed; n++) nodePods.follow(`node-${n}`)
  await clock.advance(10)
  expect(open()).toHaveLength(watches)
  nodePods[Symbol.dispose]()
})

test('around the threshold the one watch stays until few nodes are left', async () => {
  const { clock, random, transport: server } = buildServer()
  const { transport, open } = countWatches(server)
  const parts = { kube: buildKube(transport, clock), clock, random, log: silentLog, metrics: noKubeMetrics }
  const nodePods = new NodePods(parts, allPods(parts), () => 20)
  const following = [1, 2, 3, 4, 5, 6].map((n) => nodePods.follow(`node-${n}`))
  await clock.advance(10)
  for (const left of [5, 4, 3, 2, 1]) {
    following[left]?.[Symbol.dispose]()
    await clock.advance(60_000)
    expect(open()).toEqual(left > 1 ? ['/api/v1/pods?'] : ['/api/v1/pods?spec.nodeName=node-1'])
  }
  nodePods[Symbol.dispose]()
})
