import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed } from '../../../../test/build/controller-ground.ts'
import { startGarbageCollector } from '../garbage-collector/garbage-collector.ts'
import { startKubelet } from './kubelet.ts'
import { staticPodsAnnotation } from './static-pods.ts'

const manifest = (image: string, annotations: Record<string, string> = {}) => ({
  metadata: { name: 'proxy', annotations },
  spec: { containers: [{ name: 'main', image }] },
})

async function openNode(text: string) {
  const ground = new ControllerGround([startKubelet, startGarbageCollector])
  await ground.create('nodes', nodeNamed('one', { annotations: { [staticPodsAnnotation]: text } }))
  await ground.pass(1)
  return ground
}

const setManifests = (ground: ControllerGround, text: string) =>
  ground.patch('nodes', 'one', { metadata: { annotations: { [staticPodsAnnotation]: text } } })
const mirrorOf = (ground: ControllerGround) => ground.get('pods', 'proxy-one')
const deleteMirror = (ground: ControllerGround) =>
  ground.parts.api.delete('pods', { namespace: 'default', name: 'proxy-one' })

test('a manifest becomes a running pod with a mirror', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1')]))
  expect(mirrorOf(ground)).toMatchObject({ spec: { nodeName: 'one' }, status: { phase: 'Running' } })
})

test('a deleted mirror comes back and shows that the pod never stopped', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1', { 'lifeboat.test/terminate-after': '20s' })]))
  const before = mirrorOf(ground)
  await ground.pass(5)
  await deleteMirror(ground)
  await ground.settle()
  const after = mirrorOf(ground)
  expect(after?.metadata.uid).not.toBe(before?.metadata.uid)
  expect(after?.metadata.deletionTimestamp).toBeUndefined()
  expect(after?.metadata.annotations).toEqual(before?.metadata.annotations)
  expect(after?.status).toEqual(before?.status)
})

test('ends when the manifest goes, a slow one later', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1', { 'lifeboat.test/terminate-after': '5s' })]))
  await setManifests(ground, '[]')
  await ground.pass(4)
  expect(mirrorOf(ground)).toBeDefined()
  await ground.pass(1)
  expect(mirrorOf(ground)).toBeUndefined()
})

test('another manifest under the same name is another pod', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1')]))
  const before = mirrorOf(ground)
  await ground.pass(5)
  await setManifests(ground, JSON.stringify([manifest('proxy:2')]))
  await ground.pass(1)
  expect(mirrorOf(ground)?.spec?.containers?.[0]?.image).toBe('proxy:2')
  expect(mirrorOf(ground)?.status?.startTime).not.toBe(before?.status?.startTime)
})

test('what cannot be read is told, and changes nothing', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1')]))
  const before = mirrorOf(ground)
  await setManifests(ground, '[{')
  await ground.pass(1)
  expect(mirrorOf(ground)).toBe(before)
  expect(ground.store.list('events').map((event) => event['reason'])).toEqual(['InvalidStaticPods'])
})

test('a dead kubelet brings no mirror back before it is alive again', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1')]))
  await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/silent': 'true' } } })
  await ground.parts.api.delete('pods', { namespace: 'default', name: 'proxy-one' }, { gracePeriodSeconds: 0 })
  await ground.pass(1)
  expect(mirrorOf(ground)).toBeUndefined()
  await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/silent': null } } })
  await ground.pass(1)
  expect(mirrorOf(ground)?.status?.phase).toBe('Running')
})

test('goes with its node', async () => {
  await using ground = await openNode(JSON.stringify([manifest('proxy:1')]))
  await ground.parts.api.delete('nodes', { name: 'one' })
  await ground.parts.api.delete('pods', { namespace: 'default', name: 'proxy-one' }, { gracePeriodSeconds: 0 })
  await ground.pass(1)
  expect(ground.list('pods')).toEqual([])
})
