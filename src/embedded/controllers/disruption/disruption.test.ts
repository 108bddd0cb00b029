import { expect, test } from 'vitest'
import { ControllerGround } from '../../../../test/build/controller-ground.ts'
import { startDisruption } from './disruption.ts'

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs', controller: true }
const pod = (name: string, ready: boolean) => ({
  metadata: { name, namespace: 'shop', uid: name, labels: { app: 'web' }, ownerReferences: [owner] },
  spec: { nodeName: 'one' },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})

test('a budget follows its pods and the scale of their controllers', async () => {
  await using cluster = new ControllerGround([startDisruption])
  const { send, store, clock } = cluster
  const allowed = () => {
    const budget = store.get('poddisruptionbudgets.policy', 'shop/web')
    return (budget?.['status'] as { disruptionsAllowed?: number } | undefined)?.disruptionsAllowed
  }
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'deployment', controller: true }
  store.put('deployments.apps', 'shop/web', {
    metadata: { name: 'web', namespace: 'shop', uid: 'deployment' },
    spec: { replicas: 2 },
  })
  store.put('replicasets.apps', 'shop/web-1', {
    metadata: { name: 'web-1', namespace: 'shop', uid: 'rs', ownerReferences: [deployment] },
    spec: { replicas: 9 },
  })
  store.put('pods', 'shop/a', pod('a', true))
  store.put('pods', 'shop/b', pod('b', true))
  const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'web' } } }
  await send('POST', '/apis/policy/v1/namespaces/shop/poddisruptionbudgets', { metadata: { name: 'web' }, spec })
  await clock.advance(1_000)
  expect(allowed()).toBe(1)
  store.put('pods', 'shop/a', pod('a', false))
  await clock.advance(1_000)
  expect(allowed()).toBe(0)
  store.put('pods', 'shop/a', pod('a', true))
  await clock.advance(1_000)
  await send('POST', '/api/v1/namespaces/shop/pods/a/eviction', { metadata: { name: 'a' } })
  await clock.advance(1_000)
  expect(allowed()).toBe(0)
  store.delete('pods', 'shop/a')
  await clock.advance(1_000)
  expect(store.get('poddisruptionbudgets.policy', 'shop/web')).toMatchObject({
    status: { currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 },
  })
})

test('a budget sees pods come, go and change their labels', async () => {
  await using ground = new ControllerGround([startDisruption])
  const { send, store } = ground
  const counted = () => {
    const budget = store.get('poddisruptionbudgets.policy', 'shop/web')
    return (budget?.['status'] as { currentHealthy?: number } | undefined)?.currentHealthy
  }
  const spec = { minAvailable: 1, selector: { matchLabels: { app: 'web' } } }
  await send('POST', '/apis/policy/v1/namespaces/shop/poddisruptionbudgets', { metadata: { name: 'web' }, spec })
  store.put('pods', 'shop/a', pod('a', true))
  const stays = store.put('pods', 'shop/b', pod('b', true))
  await ground.settle()
  expect(counted()).toBe(2)
  store.put('pods', 'shop/b', { ...stays, metadata: { ...stays.metadata, labels: { app: 'other' } } })
  await ground.settle()
  expect(counted()).toBe(1)
  store.delete('pods', 'shop/a')
  await ground.settle()
  expect(counted()).toBe(0)
})
