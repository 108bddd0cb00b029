import { describe, expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { annotations, labels as ourLabels } from '../../api/names.ts'
import { releaseEvacuations, releaseMaintenances, releaseReleasedPods } from './release.ts'

const merge = { 'content-type': 'application/merge-patch+json' }

const patch = (ground: LifeboatGround, path: string, body: object) =>
  ground.until(ground.adminTransport.request({ method: 'PATCH', path, body, headers: merge }))

test('evacuations end, whoever asked for them, and their pods bear no trace', async () => {
  await using ground = await openLifeboatGround()
  const marks = { [annotations.podEvictWanted]: 'true', [annotations.evictionInProgress]: '', theirs: 'stays' }
  const marked = await ground.createPod('cart', marks)
  const plain = await ground.createPod('till', { theirs: 'stays' })
  await ground.createPod('other', marks)
  await ground.evacuate(marked)
  await ground.evacuate(plain)
  const parts = { kube: ground.admin, clock: ground.clock }
  expect(await ground.until(releaseEvacuations(parts))).toEqual({ objects: 2, held: [], podsCleared: 1 })
  expect(ground.evacuationCount()).toBe(0)
  const annotated = (name: string) => ground.cluster.store.get('pods', `default/${name}`)?.metadata.annotations
  expect(annotated('cart')).toEqual({ theirs: 'stays' })
  expect(annotated('till')).toEqual({ theirs: 'stays' })
  // Nobody evacuated that one: whose annotations these are is not known.
  expect(annotated('other')).toEqual(marks)
  expect(await ground.until(releaseEvacuations(parts))).toEqual({ objects: 0, held: [], podsCleared: 0 })
})

/** As the evacuator of Deployments of an older version did it. */
async function releaseCart(ground: LifeboatGround): Promise<void> {
  const evacuation = ground.cluster.store.list('evacuations.evacuation.coordination.k8s.io')[0]?.metadata
  const from = { hash: '5d', replicaSet: 'cart-5d', deployment: { name: 'cart', uid: 'd' }, at: '2024-04-22T21:40:32Z' }
  const owner = { apiVersion: 'evacuation.coordination.k8s.io/v1alpha1', kind: 'Evacuation', controller: false }
  await patch(ground, '/api/v1/namespaces/default/pods/cart', {
    metadata: {
      labels: { app: 'cart' },
      annotations: { [annotations.releasedFrom]: JSON.stringify(from) },
      ownerReferences: [{ ...owner, name: evacuation?.name, uid: evacuation?.uid }],
    },
  })
}

test('a pod that was released goes back to its ReplicaSet before its Evacuation goes', async () => {
  await using ground = await openLifeboatGround()
  const { cluster } = ground
  const pod = await ground.createPod('cart')
  await ground.evacuate(pod)
  const selector = { matchLabels: { app: 'cart', 'pod-template-hash': '5d' } }
  const template = {
    metadata: { labels: selector.matchLabels },
    spec: { containers: [{ name: 'main', image: 'web:1' }] },
  }
  const path = '/apis/apps/v1/namespaces/default/replicasets'
  const body = { metadata: { name: 'cart-5d' }, spec: { replicas: 1, selector, template } }
  await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))
  await ground.pass(2_000)
  await releaseCart(ground)
  const released = await ground.until(releaseEvacuations({ kube: ground.admin, clock: ground.clock }))
  expect(released).toEqual({ objects: 1, held: [], podsCleared: 1 })
  await ground.pass(120_000)
  // The ReplicaSet has taken it back and removed the replacement, which is younger.
  expect(ground.podNames()).toEqual(['cart'])
  const { labels, annotations: left, ownerReferences } = cluster.store.get('pods', 'default/cart')?.metadata ?? {}
  expect({ labels, left }).toEqual({ labels: { app: 'cart', 'pod-template-hash': '5d' }, left: undefined })
  expect(ownerReferences).toMatchObject([{ kind: 'ReplicaSet', name: 'cart-5d' }])
})

test('a pod that was released from what is gone by now stays without traces: nobody deletes it past its budget', async () => {
  await using ground = await openLifeboatGround({ controllers: false })
  await ground.evacuate(await ground.createPod('cart'))
  await releaseCart(ground)
  const released = await ground.until(releaseEvacuations({ kube: ground.admin, clock: ground.clock }))
  expect(released).toEqual({ objects: 1, held: [], podsCleared: 1 })
  const { annotations: left, ownerReferences } = ground.cluster.store.get('pods', 'default/cart')?.metadata ?? {}
  expect({ left, ownerReferences }).toEqual({ left: undefined, ownerReferences: undefined })
})

test('a release that has lost its Evacuation is undone too', async () => {
  await using ground = await openLifeboatGround({ controllers: false })
  await ground.createPod('cart')
  await patch(ground, '/api/v1/namespaces/default/pods/cart', {
    metadata: { labels: { [ourLabels.released]: 'true' }, annotations: { [annotations.releasedFrom]: '{}' } },
  })
  const parts = { kube: ground.admin, clock: ground.clock }
  expect(await ground.until(releaseReleasedPods(parts))).toBe(1)
  expect(ground.cluster.store.get('pods', 'default/cart')?.metadata.labels).toBeUndefined()
  expect(await ground.until(releaseReleasedPods(parts))).toBe(0)
})

test('a pod that took the name of the one evacuated is left as it is', async () => {
  await using ground = await openLifeboatGround()
  const pod = await ground.createPod('cart')
  await ground.evacuate(pod)
  await ground.until(ground.adminTransport.request({ method: 'DELETE', path: '/api/v1/namespaces/default/pods/cart' }))
  await ground.pass(60_000)
  await ground.createPod('cart', { [annotations.podEvictWanted]: 'true' })
  const released = await ground.until(releaseEvacuations({ kube: ground.admin, clock: ground.clock }))
  expect(released).toEqual({ objects: 1, held: [], podsCleared: 0 })
  expect(ground.cluster.store.get('pods', 'default/cart')?.metadata.annotations).toHaveProperty([
    annotations.podEvictWanted,
  ])
})

test('what others hold by finalizers of their own is named, and stays until they let go', async () => {
  await using ground = await openLifeboatGround()
  const pod = await ground.createPod('cart')
  await ground.evacuate(pod)
  const name = `${pod.metadata.uid}-cart`
  const path = `/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/default/evacuations/${name}`
  const instigator = 'evacuation.coordination.k8s.io/instigator_drill.example.com'
  await patch(ground, path, { metadata: { finalizers: ['example.com/audit', instigator] } })
  const released = await ground.until(releaseEvacuations({ kube: ground.admin, clock: ground.clock }))
  expect(released.held).toEqual([`Evacuation default/${name}: example.com/audit`])
  expect(ground.evacuationCount()).toBe(1)
  await patch(ground, path, { metadata: { finalizers: [] } })
  expect(ground.evacuationCount()).toBe(0)
})

test('maintenances end without their completion being waited for', async () => {
  await using ground = await openLifeboatGround()
  const path = '/apis/nodemaintenance.k8s.io/v1alpha1/nodemaintenances'
  const body = {
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: 'upgrade', finalizers: ['nodemaintenance.k8s.io/maintenance-completion'] },
    spec: {
      stage: 'Idle',
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
    },
  }
  expect(await ground.until(ground.adminTransport.request({ method: 'POST', path, body }))).toMatchObject({
    status: 201,
  })
  const released = await ground.until(releaseMaintenances({ kube: ground.admin, clock: ground.clock }))
  expect(released).toEqual({ objects: 1, held: [], podsCleared: 0 })
  expect(ground.cluster.store.count('nodemaintenances.nodemaintenance.k8s.io')).toBe(0)
})

describe('an Evacuation that forbids its cancellation', () => {
  const policy = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/lifeboat-evacuation-rights'
  async function arrange(): Promise<LifeboatGround> {
    const ground = await openLifeboatGround()
    const pod = await ground.createPod('cart')
    await ground.evacuate(pod)
    const [evacuation] = ground.cluster.store.list('evacuations.evacuation.coordination.k8s.io')
    const path = `/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/default/evacuations/${evacuation?.metadata.name}/status`
    await patch(ground, path, { status: { evacuationCancellationPolicy: 'Forbid' } })
    return ground
  }

  test('goes as soon as the API server has forgotten the policy, which takes a moment', async () => {
    await using ground = await arrange()
    const releasing = releaseEvacuations({ kube: ground.admin, clock: ground.clock })
    await ground.pass(1_000)
    expect(ground.evacuationCount()).toBe(1)
    await ground.until(ground.adminTransport.request({ method: 'DELETE', path: policy }))
    expect(await ground.until(releasing)).toMatchObject({ objects: 1 })
    expect(ground.evacuationCount()).toBe(0)
  })

  test('is told in the words of the policy if that stays', async () => {
    await using ground = await arrange()
    const releasing = releaseEvacuations({ kube: ground.admin, clock: ground.clock })
    await expect(ground.until(releasing)).rejects.toThrow('cannot stop any more')
  })
})
