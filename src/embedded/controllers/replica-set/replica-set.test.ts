import { describe, expect, test } from 'vitest'
import { noAdmission, type Admission } from '../../server/admission/admission.ts'
import { forbidden } from '../../server/failure.ts'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { startKubelet } from '../kubelet/kubelet.ts'
import { controllerOf } from '../ownership.ts'
import { isTerminating } from '../pod-status.ts'
import { startScheduler } from '../scheduler/scheduler.ts'
import { startReplicaSetController } from './replica-set.ts'

const labels = { app: 'web', 'pod-template-hash': 'abc' }

async function openWeb(options: {
  replicas: number
  admission?: Admission
  spec?: object
  annotations?: Record<string, string>
}) {
  const { admission = noAdmission, replicas, spec, annotations } = options
  const ground = new ControllerGround([startReplicaSetController, startScheduler, startKubelet], { admission })
  for (const name of ['one', 'two']) await ground.create('nodes', nodeNamed(name))
  const template = templateOf(labels, annotations === undefined ? {} : { annotations })
  await ground.create('replicasets.apps', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template, ...spec },
  })
  await ground.settle()
  return ground
}

const namesOf = (ground: ControllerGround) => ground.list('pods').map(({ metadata }) => metadata.name)
const statusOf = (ground: ControllerGround) => ground.get('replicasets.apps', 'web')?.status

describe('a ReplicaSet', () => {
  test('has as many pods as it wants, and counts them', async () => {
    await using ground = await openWeb({ replicas: 3 })
    expect(ground.list('pods')).toHaveLength(3)
    expect(statusOf(ground)).toEqual({
      replicas: 3,
      fullyLabeledReplicas: 3,
      readyReplicas: 3,
      availableReplicas: 3,
      terminatingReplicas: 0,
      observedGeneration: 1,
    })
  })

  test('lets a pod go that lost its label, and replaces it', async () => {
    await using ground = await openWeb({ replicas: 2 })
    const [released = ''] = namesOf(ground)
    await ground.patch('pods', released, { metadata: { labels: { 'pod-template-hash': null } } })
    await ground.settle()
    expect(ground.list('pods')).toHaveLength(3)
    expect(ground.get('pods', released)?.metadata.ownerReferences ?? []).toEqual([])
    expect(statusOf(ground)).toMatchObject({ replicas: 2, readyReplicas: 2 })
  })

  test('adopts it again when the label is back, and removes the younger replacement', async () => {
    await using ground = await openWeb({ replicas: 2 })
    const before = namesOf(ground)
    const [released = ''] = before
    await ground.pass(600)
    await ground.patch('pods', released, { metadata: { labels: { 'pod-template-hash': null } } })
    await ground.pass(5)
    await ground.patch('pods', released, { metadata: { labels: { 'pod-template-hash': 'abc' } } })
    await ground.pass(5)
    expect(namesOf(ground)).toEqual(before)
    expect(ground.list('pods').map(({ metadata }) => controllerOf(metadata)?.name)).toEqual(['web', 'web'])
  })

  test('keeps the other owners of a pod that it lets go', async () => {
    await using ground = await openWeb({ replicas: 1 })
    const pod = ground.first('pods')
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'evacuation', uid: 'evacuation' }
    const ownerReferences = [...(pod.metadata.ownerReferences ?? []), other]
    await ground.patch('pods', pod.metadata.name, {
      metadata: { labels: { 'pod-template-hash': null }, ownerReferences },
    })
    await ground.settle()
    expect(ground.get('pods', pod.metadata.name)?.metadata.ownerReferences).toEqual([other])
  })

  test('says when pods are refused, and makes them once they are not', async () => {
    let refused = true
    const admission: Admission = {
      ...noAdmission,
      validate: async ({ operation, definition }) => {
        if (!refused || operation !== 'CREATE' || definition.plural !== 'pods') return
        throw forbidden(definition, 'web-x', 'exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0')
      },
    }
    await using ground = await openWeb({ replicas: 2, admission })
    const message = 'pods "web-x" is forbidden: exceeded quota: few, requested: pods=1, used: pods=0, limited: pods=0'
    expect(statusOf(ground)).toMatchObject({
      replicas: 0,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message }],
    })
    refused = false
    await ground.pass(3)
    expect(statusOf(ground)).toMatchObject({ replicas: 2 })
    expect(statusOf(ground)?.conditions).toBeUndefined()
  })

  test('counts a pod as available only after minReadySeconds', async () => {
    await using ground = await openWeb({ replicas: 1, spec: { minReadySeconds: 10 } })
    expect(statusOf(ground)).toMatchObject({ readyReplicas: 1, availableReplicas: 0 })
    await ground.pass(9)
    expect(statusOf(ground)).toMatchObject({ availableReplicas: 0 })
    await ground.pass(1)
    expect(statusOf(ground)).toMatchObject({ availableReplicas: 1 })
  })

  test('replaces a pod that is on its way out at once', async () => {
    await using ground = await openWeb({ replicas: 1, annotations: { 'lifeboat.test/terminate-after': '20s' } })
    await ground.parts.api.delete('pods', { namespace: 'default', name: namesOf(ground)[0] ?? '' })
    await ground.pass(1)
    expect(ground.list('pods')).toHaveLength(2)
    expect(ground.list('pods').filter(isTerminating)).toHaveLength(1)
    expect(statusOf(ground)).toMatchObject({ replicas: 1, terminatingReplicas: 1 })
    await ground.pass(21)
    expect(ground.list('pods').map(isTerminating)).toEqual([false])
  })

  test('removes the surplus when it is scaled down, and nothing of others', async () => {
    await using ground = await openWeb({ replicas: 4 })
    await ground.create('pods', {
      ...templateOf({ app: 'web' }),
      metadata: { name: 'alone', namespace: 'default', labels: { app: 'web' } },
    })
    await ground.patch('replicasets.apps', 'web', { spec: { replicas: 1 } })
    await ground.settle()
    expect(namesOf(ground)).toHaveLength(2)
    expect(namesOf(ground)).toContain('alone')
  })
})
