import { expect, test } from 'vitest'
import { ControllerGround, nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import { deletePod, forceDeletePod, podsByNode, writeDisruption } from './pod-removal.ts'

const cause = { reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' } as const

async function openPod(phase: string) {
  const ground = new ControllerGround([])
  await ground.create('nodes', nodeNamed('one'))
  await ground.create('pods', {
    metadata: { name: 'web', namespace: 'default' },
    spec: { ...templateOf({}).spec, nodeName: 'one' },
  })
  await ground.parts.api.mergePatch('pods', { namespace: 'default', name: 'web' }, { status: { phase } }, 'status')
  const last: { status?: unknown } = {}
  using pods = podsByNode(ground.parts)
  const [pod] = pods.in('one')
  if (pod === undefined) throw new Error('there is no pod')
  ground.store.subscribe(({ type, object }) => {
    if (type === 'DELETED') last.status = object['status']
  }, 'pods')
  return { ground, pod, last }
}

test.each([
  {
    name: 'with a cause',
    phase: 'Running',
    given: cause,
    expected: { phase: 'Failed', conditions: [{ reason: cause.reason }] },
  },
  { name: 'without one', phase: 'Running', given: undefined, expected: { phase: 'Failed' } },
  { name: 'one that has ended', phase: 'Succeeded', given: cause, expected: { phase: 'Succeeded' } },
])('a pod is taken away by force: $name', async ({ phase, given, expected }) => {
  const { ground, pod, last } = await openPod(phase)
  await using _ground = ground
  await forceDeletePod(ground.parts, pod, given)
  expect(ground.list('pods')).toEqual([])
  expect(last.status).toMatchObject(expected)
})

test('a pod of another UID stays', async () => {
  const { ground, pod } = await openPod('Running')
  await using _ground = ground
  await deletePod(ground.parts, { ...pod, metadata: { ...pod.metadata, uid: 'another' } }, { gracePeriodSeconds: 0 })
  expect(ground.list('pods')).toHaveLength(1)
})

test('a disruption is told once', async () => {
  const { ground, pod } = await openPod('Running')
  await using _ground = ground
  await writeDisruption(ground.parts, pod, cause)
  const [told] = ground.list('pods')
  expect(told?.status?.conditions).toMatchObject([{ type: 'DisruptionTarget', status: 'True', reason: cause.reason }])
})
