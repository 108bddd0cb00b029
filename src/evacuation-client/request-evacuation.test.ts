import { describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { podRefOf } from '../api/evacuation/pod-reference.ts'
import { requestEvacuation, withdrawEvacuation } from './request-evacuation.ts'

const instigator = 'descheduler.example.com'
const finalizerOf = (name: string) => `evacuation.coordination.k8s.io/instigator_${name}`

async function setUp() {
  const ground = new EvacuatorGround()
  const pod = podRefOf(await ground.createPod('web'))
  const key = { namespace: pod.namespace, name: evacuationName(pod) }
  const finalizers = async () => (await ground.evacuation(pod))?.metadata.finalizers
  const writes = () => ground.requests.filter((request) => !request.startsWith('GET'))
  return { ground, pod, key, finalizers, writes }
}

describe('a request', () => {
  test('creates the Evacuation with the finalizer of the instigator', async () => {
    const { ground, pod } = await setUp()
    const outcome = await requestEvacuation(ground.kube, { instigator, pod, progressDeadlineSeconds: 900 })
    expect(outcome).toMatchObject({ kind: 'requested', evacuation: { metadata: { name: `${pod.uid}-web` } } })
    expect(await ground.evacuation(pod)).toMatchObject({
      metadata: { finalizers: [finalizerOf(instigator)] },
      spec: { podRef: { name: 'web', uid: pod.uid }, progressDeadlineSeconds: 900 },
    })
  })

  test('joins one that is there, beside the other instigators, and once', async () => {
    const { ground, pod, finalizers, writes } = await setUp()
    await requestEvacuation(ground.kube, { instigator: 'other.example.com', pod })
    expect(await requestEvacuation(ground.kube, { instigator, pod })).toMatchObject({ kind: 'requested' })
    expect(await finalizers()).toEqual([finalizerOf('other.example.com'), finalizerOf(instigator)])
    ground.requests.length = 0
    expect(await requestEvacuation(ground.kube, { instigator, pod })).toMatchObject({ kind: 'requested' })
    expect(writes()).toHaveLength(1)
    expect(await finalizers()).toHaveLength(2)
  })

  test('loses no finalizer when somebody else joins at the same moment', async () => {
    const { ground, pod, key, finalizers } = await setUp()
    await requestEvacuation(ground.kube, { instigator: 'a.example.com', pod })
    let isFirst = true
    ground.beforeRequest = async ({ method }) => {
      if (method !== 'PATCH' || !isFirst) return
      isFirst = false
      const body = { metadata: { finalizers: [finalizerOf('a.example.com'), finalizerOf('b.example.com')] } }
      await ground.controller.patch(evacuations, key, { type: 'merge', body })
    }
    await requestEvacuation(ground.kube, { instigator, pod })
    expect(await finalizers()).toEqual(['a.example.com', 'b.example.com', instigator].map(finalizerOf))
  })

  test('creates it anew when it went away while being joined', async () => {
    const { ground, pod, key } = await setUp()
    await requestEvacuation(ground.kube, { instigator: 'a.example.com', pod })
    let isFirst = true
    ground.beforeRequest = async ({ method }) => {
      if (method !== 'PATCH' || !isFirst) return
      isFirst = false
      await ground.controller.patch(evacuations, key, { type: 'merge', body: { metadata: { finalizers: [] } } })
      await ground.controller.delete(evacuations, key)
    }
    expect(await requestEvacuation(ground.kube, { instigator, pod })).toMatchObject({ kind: 'requested' })
  })

  test('has to wait while an earlier Evacuation is being cancelled', async () => {
    const { ground, pod, finalizers } = await setUp()
    await requestEvacuation(ground.kube, { instigator: 'a.example.com', pod })
    await ground.cancel(pod, ['held.example.com'])
    expect(await requestEvacuation(ground.kube, { instigator, pod })).toMatchObject({ kind: 'beingCancelled' })
    expect(await finalizers()).toEqual([finalizerOf('held.example.com')])
  })

  test('lets go of an Evacuation that somebody else deleted, or it would stay for good', async () => {
    const { ground, pod, finalizers } = await setUp()
    await requestEvacuation(ground.kube, { instigator, pod })
    await ground.cancel(pod, ['held.example.com', instigator])
    expect(await requestEvacuation(ground.kube, { instigator, pod })).toMatchObject({ kind: 'beingCancelled' })
    expect(await finalizers()).toEqual([finalizerOf('held.example.com')])
  })

  test.each([
    {
      name: 'says what is wrong with the deadline',
      request: { progressDeadlineSeconds: 5 },
      says: /progressDeadlineSeconds/,
    },
    {
      name: 'says what is wrong with the name of the instigator',
      request: { instigator: 'Not a name' },
      says: /instigator is "Not a name".*DNS subdomain/,
    },
  ])('$name', async ({ request, says }) => {
    const { ground, pod } = await setUp()
    expect(await requestEvacuation(ground.kube, { instigator, pod, ...request })).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(says),
    })
  })

  test('that is refused because the pod is gone says that', async () => {
    const { ground, pod } = await setUp()
    const request = { instigator, pod, progressDeadlineSeconds: 5 }
    await ground.removePod(pod)
    expect(await requestEvacuation(ground.kube, request)).toEqual({ kind: 'podGone' })
    await ground.createPod('web')
    expect(await requestEvacuation(ground.kube, request)).toEqual({ kind: 'podGone' })
  })

  test('in the name of an evacuator of the pod is refused, for it would be taken for its hold', async () => {
    const ground = new EvacuatorGround()
    const pod = await ground.evacuate('vm', { registrations: [{ evacuatorClass: instigator, priority: 1 }] })
    expect(await requestEvacuation(ground.kube, { instigator, pod })).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/must not be the class of an evacuator/),
    })
    expect((await ground.evacuation(pod))?.metadata.finalizers).toEqual([finalizerOf('maintenance.example.com')])
  })
})

describe('a withdrawal', () => {
  test('takes away the own finalizer and no other, and does nothing the second time', async () => {
    const { ground, pod, finalizers } = await setUp()
    await requestEvacuation(ground.kube, { instigator: 'other.example.com', pod })
    await requestEvacuation(ground.kube, { instigator, pod })
    expect(await withdrawEvacuation(ground.kube, { instigator, pod })).toEqual({ kind: 'withdrawn' })
    expect(await finalizers()).toEqual([finalizerOf('other.example.com')])
    expect(await withdrawEvacuation(ground.kube, { instigator, pod })).toEqual({ kind: 'absent' })
  })

  test('of what is not there is fine', async () => {
    const { ground, pod } = await setUp()
    expect(await withdrawEvacuation(ground.kube, { instigator, pod })).toEqual({ kind: 'absent' })
  })

  test('takes into account who joined at the same moment', async () => {
    const { ground, pod, key, finalizers } = await setUp()
    await requestEvacuation(ground.kube, { instigator, pod })
    let isFirst = true
    ground.beforeRequest = async ({ method }) => {
      if (method !== 'PATCH' || !isFirst) return
      isFirst = false
      const body = { metadata: { finalizers: [finalizerOf(instigator), finalizerOf('b.example.com')] } }
      await ground.controller.patch(evacuations, key, { type: 'merge', body })
    }
    await withdrawEvacuation(ground.kube, { instigator, pod })
    expect(await finalizers()).toEqual([finalizerOf('b.example.com')])
  })
})
