import { buildFollowed } from '../../test/build/followed.ts'
import { describe, expect, test } from 'vitest'
import { EvacuatorGround } from '../../test/build/evacuator-ground.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { EvacuationWriter } from './evacuation-writer.ts'

const ours = 'ours.example.com'
const intent = 'evacuation.coordination.k8s.io/instigator_maintenance.example.com'
const finalizer = `evacuation.coordination.k8s.io/instigator_${ours}`
const { signal } = new AbortController()

async function setUp() {
  const ground = new EvacuatorGround()
  const pod = await ground.evacuate('vm', { registrations: [{ evacuatorClass: ours, priority: 1 }] })
  const cached = await ground.evacuation(pod)
  const writer = new EvacuationWriter(
    ground.kube,
    buildFollowed(() => cached),
  )
  const key = { namespace: pod.namespace, name: evacuationName(pod) }
  const hold = { evacuatorClass: ours, key, uid: cached?.metadata.uid ?? '' }
  const finalizers = async () => (await ground.evacuation(pod))?.metadata.finalizers
  return { ground, pod, writer, hold, finalizers }
}

describe('a hold', () => {
  test('is taken beside the finalizers of others, and released alone', async () => {
    const { ground, pod, writer, hold, finalizers } = await setUp()
    await ground.select(pod, ours)
    await writer.refresh(hold.key, signal)
    await writer.takeHold(hold, () => true, signal)
    await writer.takeHold(hold, () => true, signal)
    expect(await finalizers()).toEqual([intent, finalizer])
    expect(ground.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(1)
    await writer.releaseHold(hold, signal)
    await writer.releaseHold(hold, signal)
    expect(await finalizers()).toEqual([intent])
    expect(ground.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(2)
  })

  test('is not taken where it may not be', async () => {
    const { writer, hold, finalizers } = await setUp()
    await writer.takeHold(hold, () => false, signal)
    expect(await finalizers()).toEqual([intent])
  })

  test('is not released on another Evacuation of the same name', async () => {
    const { ground, pod, writer, hold, finalizers } = await setUp()
    await ground.select(pod, ours)
    await writer.refresh(hold.key, signal)
    await writer.takeHold(hold, () => true, signal)
    await writer.releaseHold({ ...hold, uid: 'another' }, signal)
    expect(await finalizers()).toEqual([intent, finalizer])
  })
})
