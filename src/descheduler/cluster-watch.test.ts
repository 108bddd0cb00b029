import { expect, test } from 'vitest'
import { openServedCluster } from '../../test/build/served-cluster.ts'
import { buildNode, buildPod } from '../../test/build/nodes-and-pods.ts'
import { noMetrics } from '../../test/build/descheduler-view.ts'
import { namespaces, nodes, pods } from '../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { silentLog } from '../runtime/log.ts'
import { systemClock, systemRandom } from '../runtime/system.ts'
import { ClusterWatch } from './cluster-watch.ts'

const everything = {
  namespaces: true,
  budgets: true,
  conditions: true,
  claims: true,
  priorityClasses: [],
  hasEvacuations: false,
}

const parts = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }

test.each([true, false])('keeps conditions of pods where they are needed: %s', async (conditions) => {
  await using served = await openServedCluster()
  const { admin: kube } = served
  await kube.create(nodes, buildNode({ name: 'n1' }))
  await kube.create(pods, buildPod({ name: 'web', namespace: 'default', nodeName: 'n1' }))
  const status = { conditions: [{ type: 'Ready', status: 'True' }] }
  const key = { namespace: 'default', name: 'web' }
  await kube.patch(pods, key, { type: 'merge', body: { status } }, { subresource: 'status' })
  const watch = new ClusterWatch({ ...parts, kube }, { ...everything, conditions })
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  await watch.synced()
  const web = watch.view(7, noMetrics).pods.find(({ name }) => name === 'web')
  expect(web?.conditions.some(({ type }) => type === 'Ready')).toBe(conditions)
  stop.abort(new Error('seen enough'))
  await running
})

test('shows nodes and the pods on them, reduced, as of the moment that it is asked', async () => {
  await using served = await openServedCluster()
  const { admin: kube } = served
  await kube.create(namespaces, { metadata: { name: 'shop', labels: { team: 'a' } } })
  for (const name of ['n2', 'n1']) await kube.create(nodes, buildNode({ name }))
  await kube.create(pods, buildPod({ name: 'web', namespace: 'shop', nodeName: 'n1', labels: { app: 'web' } }))
  await kube.create(pods, {
    metadata: { name: 'homeless', namespace: 'shop' },
    spec: { schedulingGates: [{ name: 'example.com/later' }], containers: [{ name: 'main', image: 'web:1' }] },
  })
  const watch = new ClusterWatch({ ...parts, kube }, everything)
  const stop = new AbortController()
  const running = watch.run(stop.signal)
  await watch.synced()
  const view = watch.view(7, noMetrics)
  expect(view.nowMs).toBe(7)
  const added = view.nodes.filter(({ name }) => name === 'n1' || name === 'n2')
  expect(added.map(({ name }) => name)).toEqual(['n1', 'n2'])
  const inShop = view.pods.filter(({ namespace }) => namespace === 'shop')
  expect(inShop.map(({ name, nodeName, template }) => ({ name, nodeName, labels: template.labels }))).toEqual([
    { name: 'web', nodeName: 'n1', labels: { app: 'web' } },
  ])
  expect(view.namespaces.get('shop')).toMatchObject({ team: 'a' })
  expect(view.budgets).toEqual([])
  expect(watch.evacuations()).toEqual([])
  await kube.delete(pods, { namespace: 'shop', name: 'web' }, { gracePeriodSeconds: 0 })
  await expect.poll(() => watch.view(8, noMetrics).pods.filter(({ namespace }) => namespace === 'shop')).toEqual([])
  expect(view.pods.some(({ name }) => name === 'web')).toBe(true)
  stop.abort(new Error('seen enough'))
  await running
})
