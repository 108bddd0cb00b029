import { describe, expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { noAdmission, type Admission } from '../../server/admission/admission.ts'
import { isReady } from '../pod-status.ts'
import { startKubelet } from './kubelet.ts'

async function openNode(annotations: Record<string, string> = {}, nodeLabels: Record<string, string> = {}) {
  const ground = new ControllerGround([startKubelet])
  await ground.create('nodes', nodeNamed('one', { labels: nodeLabels }))
  for (const name of ['a', 'b']) {
    const { metadata, spec } = templateOf({}, { annotations })
    await ground.create('pods', {
      metadata: { ...metadata, name, namespace: 'default' },
      spec: { ...spec, nodeName: 'one' },
    })
  }
  await ground.settle()
  return ground
}

const phases = (ground: ControllerGround) => ground.list('pods').map(({ status }) => status?.phase)

describe('a kubelet', () => {
  test('runs the pods of its node, each under an address of its own', async () => {
    await using ground = await openNode()
    expect(phases(ground)).toEqual(['Running', 'Running'])
    expect(ground.list('pods').map(({ status }) => status?.podIP)).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(ground.get('nodes', 'one')?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    )
  })

  test('makes them ready when it is time', async () => {
    await using ground = await openNode({ 'lifeboat.test/ready-after': '5s' })
    await ground.pass(5)
    expect(ground.list('pods').map(isReady)).toEqual([false, false])
    await ground.pass(1)
    expect(ground.list('pods').map(isReady)).toEqual([true, true])
  })

  test('writes again when a change that is nothing to it came first', async () => {
    let notes = 0
    const annotateFirst: Admission = {
      ...noAdmission,
      validate: async ({ subresource, oldObject }) => {
        if (subresource !== 'status' || oldObject?.metadata.name !== 'a' || notes > 0) return
        const annotations = { note: String(notes++) }
        ground.store.put('pods', 'default/a', { ...oldObject, metadata: { ...oldObject.metadata, annotations } })
      },
    }
    await using ground = new ControllerGround([startKubelet], { admission: annotateFirst })
    await ground.create('nodes', nodeNamed('one'))
    const { metadata, spec } = templateOf({})
    await ground.create('pods', {
      metadata: { ...metadata, name: 'a', namespace: 'default' },
      spec: { ...spec, nodeName: 'one' },
    })
    await ground.settle()
    expect(ground.get('pods', 'a')).toMatchObject({
      metadata: { annotations: { note: '0' } },
      status: { phase: 'Running' },
    })
  })

  test('ends deleted pods, slow ones later', async () => {
    await using ground = await openNode({ 'lifeboat.test/terminate-after': '10s' })
    await ground.parts.api.delete('pods', { namespace: 'default', name: 'a' })
    await ground.pass(10)
    expect(ground.list('pods')).toHaveLength(2)
    await ground.pass(1)
    expect(ground.list('pods').map(({ metadata }) => metadata.name)).toEqual(['b'])
  })

  test('leaves a pod that a finalizer holds until that is gone', async () => {
    await using ground = await openNode()
    await ground.patch('pods', 'a', { metadata: { finalizers: ['example.com/hold'] } })
    await ground.parts.api.delete('pods', { namespace: 'default', name: 'a' })
    await ground.pass(60)
    expect(ground.list('pods')).toHaveLength(2)
    await ground.patch('pods', 'a', { metadata: { finalizers: null } })
    await ground.pass(1)
    expect(ground.list('pods')).toHaveLength(1)
  })

  test('renews the lease of its node', async () => {
    await using ground = await openNode()
    const renewTime = () => ground.get('leases.coordination.k8s.io', 'kube-node-lease/one')?.spec?.renewTime
    expect(renewTime()).toBe('2026-01-01T00:00:00.000000Z')
    await ground.pass(25)
    expect(renewTime()).toBe('2026-01-01T00:00:20.000000Z')
  })

  test('does nothing on a silent node, and all of it when that comes back', async () => {
    await using ground = await openNode({}, { 'lifeboat.test/silent': 'true' })
    await ground.pass(60)
    expect(phases(ground)).toEqual(['Pending', 'Pending'])
    await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/silent': null } } })
    await ground.settle()
    expect(phases(ground)).toEqual(['Running', 'Running'])
  })

  test('reports trouble as long as it has any, and goes on with its pods', async () => {
    await using ground = await openNode()
    const ready = () => ground.get('nodes', 'one')?.status?.conditions?.find(({ type }) => type === 'Ready')
    await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/not-ready': 'true' } } })
    await ground.settle()
    expect(ready()).toMatchObject({ status: 'False', reason: 'KubeletNotReady' })
    await ground.parts.api.delete('pods', { namespace: 'default', name: 'a' })
    await ground.pass(1)
    expect(ground.list('pods')).toHaveLength(1)
    await ground.patch('nodes', 'one', { metadata: { labels: { 'lifeboat.test/not-ready': null } } })
    await ground.settle()
    expect(ready()).toMatchObject({ status: 'True', reason: 'KubeletReady' })
  })
})
