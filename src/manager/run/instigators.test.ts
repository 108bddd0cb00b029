import { expect, test } from 'vitest'
import { openLifeboatGround } from '../../../test/build/lifeboat.ts'
import { evacuations } from '../../api/evacuation/evacuation.ts'
import { featureGateDefaults } from '../../api/feature-gates.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { podRefOf } from '../../api/evacuation/pod-reference.ts'
import { stored } from '../../../test/build/stored.ts'
import { claimsLookup } from './claims-lookup.ts'
import { maintenanceInstigator, taintEvictionInstigator } from './instigators.ts'

const ours = 'evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'

test('an Evacuation has from the start what the webhook would put into it, and is withdrawn again', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const labels = { app: 'web' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const body = { metadata: { name: 'web' }, spec: { replicas: 2, selector: { matchLabels: labels }, template } }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(5_000)
  const [first, second] = (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items
  const events = { record: () => {} }
  const namespace = 'lifeboat-system'
  const parts = { kube: ground.admin, clock: ground.clock, gates: featureGateDefaults, namespace, events }
  const instigator = maintenanceInstigator({ ...parts, claims: claimsLookup(parts) })
  const { signal } = new AbortController()
  for (const pod of [first, second]) {
    expect(await ground.until(instigator.request(pod as Pod, signal))).toMatchObject({ kind: 'requested' })
  }
  const { items } = await ground.until(ground.admin.list(evacuations, { namespace: 'default' }))
  expect(items).toHaveLength(2)
  for (const { metadata, spec } of items) {
    // The Deployment evacuator would take its hold first thing.
    expect(metadata.finalizers).toEqual([ours, 'evacuation.coordination.k8s.io/instigator_deployment.apps.k8s.io'])
    expect(metadata.labels).toMatchObject(labels)
    expect(metadata.annotations).toEqual({ 'evacuation.coordination.k8s.io/node': 'node-1' })
    expect(spec).toMatchObject({
      progressDeadlineSeconds: 1_800,
      evacuators: [{ evacuatorClass: 'deployment.apps.k8s.io', priority: 10_000, role: 'controller' }],
    })
  }
  await ground.until(instigator.withdraw(podRefOf(first as Pod), signal))
  const after = await ground.until(ground.admin.list(evacuations, { namespace: 'default' }))
  expect(after.items.filter(({ metadata }) => metadata.finalizers?.includes(ours))).toHaveLength(1)
  const gone = stored<Pod>({ metadata: { namespace: 'default', name: 'gone', uid: 'u' } })
  expect(await ground.until(instigator.request(gone, signal))).toEqual({ kind: 'podGone' })
})

const oursOfDeadNodes = 'evacuation.coordination.k8s.io/instigator_taint-eviction.evacuation.coordination.k8s.io'

test('evacuators that a pod names are in its Evacuation, those that claim pods of Deployments are not', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const labels = { app: 'web' }
  const annotations = { 'evacuation.coordination.k8s.io/priority_backup.example.com': '5000' }
  const template = { metadata: { labels, annotations }, spec: { containers: [{ name: 'main', image: 'web:1' }] } }
  const body = { metadata: { name: 'web' }, spec: { replicas: 1, selector: { matchLabels: labels }, template } }
  const path = '/apis/apps/v1/namespaces/default/deployments'
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(5_000)
  const [pod] = (await ground.until(ground.admin.list(pods, { namespace: 'default' }))).items
  if (pod === undefined) throw new Error('there is a pod')
  const parts = { kube: ground.admin, gates: featureGateDefaults, namespace: 'lifeboat-system' }
  const instigator = taintEvictionInstigator(parts)
  const { signal } = new AbortController()
  expect(await ground.until(instigator.request(pod, signal))).toMatchObject({ kind: 'requested' })
  const found = async () => (await ground.until(ground.admin.list(evacuations, { namespace: 'default' }))).items
  expect(await found()).toMatchObject([
    {
      metadata: { finalizers: [oursOfDeadNodes], annotations: { 'evacuation.coordination.k8s.io/node': 'node-1' } },
      spec: { evacuators: [{ evacuatorClass: 'backup.example.com', priority: 5_000 }] },
    },
  ])
  await ground.until(instigator.withdraw(podRefOf(pod), signal))
  expect((await found()).flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([])
})
