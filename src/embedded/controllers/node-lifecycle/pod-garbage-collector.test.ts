import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { startPodGarbageCollector } from './pod-garbage-collector.ts'

const silent = { labels: { 'lifeboat.test/silent': 'true' } }
const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }

async function openNode(labels: object = {}) {
  const ground = new ControllerGround([startPodGarbageCollector, startKubelet])
  await ground.create('nodes', nodeNamed('one', labels))
  for (const name of ['a', 'b']) {
    await ground.create('pods', {
      metadata: { name, namespace: 'default' },
      spec: { ...templateOf({}).spec, nodeName: 'one' },
    })
  }
  await ground.settle()
  return ground
}

const names = (ground: ControllerGround) => ground.list('pods').map(({ metadata }) => metadata.name)
const remove = (ground: ControllerGround) => ground.parts.api.delete('pods', { namespace: 'default', name: 'a' })

test('pods of a node that is gone are taken away as failed, after a while', async () => {
  await using ground = await openNode()
  const phases: unknown[] = []
  using _follow = ground.store.subscribe(({ type, object }) => {
    if (type === 'DELETED') phases.push((object['status'] as { phase: string }).phase)
  }, 'pods')
  await ground.parts.api.delete('nodes', { name: 'one' })
  await ground.pass(35)
  expect(names(ground)).toEqual(['a', 'b'])
  await ground.pass(10)
  expect(names(ground)).toEqual([])
  expect(phases).toEqual(['Failed', 'Failed'])
})

test('pods of a node that comes back in time stay', async () => {
  await using ground = await openNode()
  await ground.parts.api.delete('nodes', { name: 'one' })
  await ground.pass(30)
  await ground.create('nodes', nodeNamed('one'))
  await ground.pass(60)
  expect(names(ground)).toEqual(['a', 'b'])
})

test('a pod that terminates on a node that is not ready and out of service is taken away', async () => {
  await using ground = await openNode(silent)
  await remove(ground)
  await ground.pass(60)
  expect(names(ground)).toEqual(['a', 'b'])
  await ground.patch('nodes', 'one', { spec: { taints: [outOfService] } })
  await ground.pass(20)
  // The other does not terminate: that is up to whoever removes pods.
  expect(names(ground)).toEqual(['b'])
})

test('a node that is ready ends its pods itself, whatever is said of it', async () => {
  await using ground = await openNode()
  await ground.patch('nodes', 'one', { spec: { taints: [outOfService] } })
  await ground.patch('pods', 'a', { metadata: { annotations: { 'lifeboat.test/terminate-after': '25s' } } })
  await remove(ground)
  await ground.pass(24)
  expect(names(ground)).toEqual(['a', 'b'])
})
