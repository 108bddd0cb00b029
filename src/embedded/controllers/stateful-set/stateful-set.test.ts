import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { isReady } from '../pod-status.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startStatefulSetController } from './stateful-set.ts'

async function openDb(spec: object = {}) {
  const ground = new ControllerGround([startStatefulSetController, startScheduler, startKubelet])
  for (const name of ['one', 'two', 'three']) await ground.create('nodes', nodeNamed(name))
  await ground.create('statefulsets.apps', {
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas: 3,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: templateOf({ app: 'db' }, { annotations: { 'lifeboat.test/ready-after': '2s' } }),
      ...spec,
    },
  })
  await ground.settle()
  return ground
}

const namesOf = (ground: ControllerGround) => ground.list('pods').map(({ metadata }) => metadata.name)
const imagesOf = (ground: ControllerGround) => ground.list('pods').map(({ spec }) => spec?.containers?.[0]?.image)
const newImage = { spec: { template: { spec: { containers: [{ name: 'main', image: 'example/web:2' }] } } } }
const statusOf = (ground: ControllerGround) => ground.get('statefulsets.apps', 'db')?.status

describe('a StatefulSet', () => {
  test('starts its pods in order, each when the one before is ready', async () => {
    await using ground = await openDb()
    expect(namesOf(ground)).toEqual(['db-0'])
    await ground.pass(3)
    expect(namesOf(ground)).toEqual(['db-0', 'db-1'])
    await ground.pass(6)
    expect(statusOf(ground)).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3, currentReplicas: 3 })
    expect(ground.get('pods', 'db-1')).toMatchObject({
      metadata: { labels: { 'statefulset.kubernetes.io/pod-name': 'db-1', 'apps.kubernetes.io/pod-index': '1' } },
      spec: { hostname: 'db-1', subdomain: 'db' },
    })
  })

  test('starts all at once when they are parallel', async () => {
    await using ground = await openDb({ podManagementPolicy: 'Parallel' })
    expect(namesOf(ground)).toEqual(['db-0', 'db-1', 'db-2'])
  })

  test('makes a pod anew under its name, on another node if its own is cordoned', async () => {
    await using ground = await openDb()
    await ground.pass(15)
    const before = ground.get('pods', 'db-1')
    await ground.patch('nodes', before?.spec?.nodeName ?? '', { spec: { unschedulable: true } })
    await ground.parts.api.delete('pods', { namespace: 'default', name: 'db-1' })
    await ground.pass(5)
    const after = ground.get('pods', 'db-1')
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid)
    expect(after?.spec?.nodeName).not.toBe(before?.spec?.nodeName)
  })

  test('shrinks from the end', async () => {
    await using ground = await openDb()
    await ground.pass(15)
    await ground.patch('statefulsets.apps', 'db', { spec: { replicas: 1 } })
    await ground.pass(5)
    expect(namesOf(ground)).toEqual(['db-0'])
  })

  test('updates from the last to the first, never with two of them down', async () => {
    await using ground = await openDb()
    await ground.pass(15)
    await ground.patch('statefulsets.apps', 'db', newImage)
    await ground.pass(1)
    expect(imagesOf(ground)).toEqual(['example/web:1', 'example/web:1', 'example/web:2'])
    expect(statusOf(ground)).toMatchObject({ updatedReplicas: 1, currentReplicas: 2 })
    let readyMin = 3
    for (let second = 0; second < 30; second++) {
      await ground.pass(1)
      readyMin = Math.min(readyMin, ground.list('pods').filter(isReady).length)
    }
    expect(readyMin).toBe(2)
    expect(imagesOf(ground)).toEqual(['example/web:2', 'example/web:2', 'example/web:2'])
    expect(statusOf(ground)?.currentRevision).toBe(statusOf(ground)?.updateRevision)
  })

  test('leaves those below the partition, also when one of them is made anew', async () => {
    await using ground = await openDb({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } })
    await ground.pass(15)
    await ground.patch('statefulsets.apps', 'db', newImage)
    await ground.pass(15)
    await ground.parts.api.delete('pods', { namespace: 'default', name: 'db-0' })
    await ground.pass(15)
    expect(imagesOf(ground)).toEqual(['example/web:1', 'example/web:1', 'example/web:2'])
  })

  test('leaves updates to whoever deletes the pods, if told so', async () => {
    await using ground = await openDb({ updateStrategy: { type: 'OnDelete' } })
    await ground.pass(15)
    await ground.patch('statefulsets.apps', 'db', newImage)
    await ground.pass(15)
    expect(imagesOf(ground)).toEqual(['example/web:1', 'example/web:1', 'example/web:1'])
  })
})
