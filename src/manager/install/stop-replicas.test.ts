import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../../test/build/lifeboat.ts'
import { deployments, pods } from '../../api/kubernetes/resources.ts'
import { installation, managedLabels, replicaLabels } from './installation-names.ts'
import { stopReplicas } from './stop-replicas.ts'

const { namespace, deployment: name } = installation

async function openWithReplicas(labels: Readonly<Record<string, string>>, finalizers: readonly string[] = []) {
  const ground = await openLifeboatGround({ nodes: 1 })
  const template = {
    metadata: { labels: replicaLabels, finalizers },
    spec: { containers: [{ name: 'main', image: 'lifeboat:1' }] },
  }
  const spec = { replicas: 2, selector: { matchLabels: replicaLabels }, template }
  await ground.until(ground.admin.create(deployments, { metadata: { name, namespace, labels }, spec }))
  await ground.pass(10_000)
  return ground
}

const podCount = async (ground: LifeboatGround) =>
  (await ground.until(ground.admin.list(pods, { namespace }))).items.length

const stop = (ground: LifeboatGround) =>
  ground.until(stopReplicas({ kube: ground.admin, clock: ground.clock }, namespace), 300_000)

test('ends when the last replica is gone, and leaves the Deployment', async () => {
  await using ground = await openWithReplicas(managedLabels)
  expect(await podCount(ground)).toBe(2)
  expect(await stop(ground)).toBe(true)
  expect(await podCount(ground)).toBe(0)
  const { spec } = await ground.until(ground.admin.get(deployments, { namespace, name }))
  expect(spec?.replicas).toBe(0)
})

test('what Helm brought is Lifeboat all the same', async () => {
  await using ground = await openWithReplicas({ ...managedLabels, 'app.kubernetes.io/managed-by': 'Helm' })
  expect(await stop(ground)).toBe(true)
})

test('a Deployment of others under that name is left alone', async () => {
  await using ground = await openWithReplicas({})
  expect(await stop(ground)).toBe(false)
  expect(await podCount(ground)).toBe(2)
})

test('without a Deployment there is nothing to stop', async () => {
  await using ground = await openLifeboatGround()
  expect(await stop(ground)).toBe(false)
})

test('pods that do not end are named', async () => {
  await using ground = await openWithReplicas(managedLabels, ['example.com/stays'])
  await expect(stop(ground)).rejects.toThrow(
    /^pods of Lifeboat in namespace lifeboat-system do not end: lifeboat-\S+, lifeboat-\S+; see why with kubectl describe pod$/,
  )
})
