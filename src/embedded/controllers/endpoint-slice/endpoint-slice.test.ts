import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { startEndpointSliceController } from './endpoint-slice.ts'

const slices = 'endpointslices.discovery.k8s.io'

async function openService() {
  const ground = new ControllerGround([startEndpointSliceController, startKubelet])
  await ground.create('nodes', nodeNamed('one'))
  await ground.create('services', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
  })
  const { metadata, spec } = templateOf({ app: 'web' })
  await ground.create('pods', {
    metadata: { ...metadata, name: 'a', namespace: 'default' },
    spec: { ...spec, nodeName: 'one' },
  })
  await ground.settle()
  return ground
}

const readyOf = (ground: ControllerGround) =>
  ground.store
    .list(slices)
    .flatMap((slice) => slice['endpoints'] as { conditions: { ready: boolean } }[])
    .map(({ conditions }) => conditions.ready)

test('follows the pods of a Service', async () => {
  await using ground = await openService()
  expect(readyOf(ground)).toEqual([true])
  expect(ground.store.get('endpoints', 'default/web')).toMatchObject({ subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] })
  await ground.patch('pods', 'a', { metadata: { annotations: { 'lifeboat.test/never-ready': 'true' } } })
  await ground.settle()
  expect(readyOf(ground)).toEqual([false])
  await ground.patch('pods', 'a', { metadata: { labels: { app: 'other' } } })
  await ground.settle()
  expect(readyOf(ground)).toEqual([])
})

test('lets go of a pod that is gone at once', async () => {
  await using ground = await openService()
  await ground.parts.api.delete('pods', { namespace: 'default', name: 'a' }, { gracePeriodSeconds: 0 })
  await ground.settle()
  expect(readyOf(ground)).toEqual([])
})

test('goes with the Service', async () => {
  await using ground = await openService()
  await ground.parts.api.delete('services', { namespace: 'default', name: 'web' })
  await ground.settle()
  expect([...ground.store.list(slices), ...ground.store.list('endpoints')]).toEqual([])
})
