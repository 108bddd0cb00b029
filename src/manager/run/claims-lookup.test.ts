import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { deployments, pods, replicaSets } from '../../api/kubernetes/resources.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { WorkloadCaches } from '../../evacuators/workload/workload-caches.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { silentLog } from '../../runtime/log.ts'
import { claimsLookup } from './claims-lookup.ts'

test('who claims a pod is remembered for a while, and looked up for whoever needs to know it now', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const body = { metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(5_000)
  const [pod] = (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items
  const events = { record: () => {} }
  const parts = { kube: ground.admin, clock: ground.clock, gates: featureGateDefaults, namespace: 'lifeboat-system' }
  const lookup = claimsLookup({ ...parts, events })
  const classes = async (isFresh: boolean) => {
    const { signal } = new AbortController()
    const claims = await ground.until(lookup(pod as Pod, { isFresh, signal }))
    return claims.map(({ evacuatorClass }) => evacuatorClass)
  }
  expect(await classes(false)).toEqual(['deployment.apps.k8s.io'])
  const change = { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } }
  const key = { namespace: 'default', name: 'web' }
  await ground.until(ground.admin.patch(deployments, key, { type: 'merge', body: change }))
  expect(await classes(false)).toEqual(['deployment.apps.k8s.io'])
  expect(await classes(true)).toEqual([])
  await ground.pass(31_000)
  expect(await classes(false)).toEqual([])
})

test('an owner that is followed is not read', async () => {
  const { clock, random, transport } = buildServer()
  const requests: string[] = []
  const counting: Transport = {
    close: () => transport.close(),
    request: (request) => {
      requests.push(`${request.method} ${request.path}`)
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
  }
  const kube = buildKube(counting, clock)
  const informed = { kube, clock, random, log: silentLog, metrics: noKubeMetrics }
  const owners = new WorkloadCaches(informed)
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const spec = { replicas: 1, selector: { matchLabels: labels }, template }
  const owner = await kube.create(deployments, { metadata: { namespace: 'shop', name: 'web' }, spec })
  const by = (kind: string, { metadata: { name, uid } }: KubernetesObject) => ({
    ownerReferences: [{ apiVersion: 'apps/v1', kind, name, uid, controller: true }],
  })
  const set = await kube.create(replicaSets, {
    metadata: { namespace: 'shop', name: 'web-1', ...by('Deployment', owner) },
    spec,
  })
  const pod = await kube.create(pods, {
    metadata: { namespace: 'shop', name: 'web-1-a', labels, ...by('ReplicaSet', set) },
    spec: template.spec,
  })
  const followings = [deployments, replicaSets].map((resource) => owners.follow('shop', { resource }))
  await clock.advance(100)
  const parts = { kube, clock, gates: featureGateDefaults, namespace: 'lifeboat-system', events: { record: () => {} } }
  const lookup = claimsLookup({ ...parts, owners })
  const claims = async (isFresh: boolean) => {
    requests.length = 0
    const found = lookup(pod, { isFresh, signal: new AbortController().signal })
    await clock.advance(10)
    expect((await found).map(({ evacuatorClass }) => evacuatorClass)).toEqual(['deployment.apps.k8s.io'])
    return requests.filter((request) => /deployments|replicasets/.test(request)).length
  }
  expect(await claims(false)).toBe(0)
  expect(await claims(true)).toBe(2)
  for (const following of followings) following[Symbol.dispose]()
  expect(await claims(false)).toBe(2)
  owners[Symbol.dispose]()
})
