import { expect, test } from 'vitest'
import { openLifeboatGround, type LifeboatGround } from '../../test/build/lifeboat.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { evacuations } from '../api/evacuation/evacuation.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../api/evacuation/pod-reference.ts'
import { isKubeError } from '../kube/client/errors.ts'
import { silentLog } from '../runtime/log.ts'
import { seededRandom } from '../runtime/random.ts'
import { requestUntilGone } from './request-until-gone.ts'

const instigator = 'descheduler.example.com'
/** An evacuator that never says anything: the pod stays until somebody takes it away. */
const held = { 'evacuation.coordination.k8s.io/priority_patience.example.com': '100' }

function begin(ground: LifeboatGround, pod: PodRef) {
  const stop = new AbortController()
  const { clock, admin: kube } = ground
  const parts = { kube, clock, random: seededRandom(3), log: silentLog, signal: stop.signal }
  return { stop, asking: requestUntilGone({ ...parts, instigator, pod }) }
}

async function uidOf(ground: LifeboatGround, pod: PodRef): Promise<string | undefined> {
  const key = { namespace: pod.namespace, name: evacuationName(pod) }
  try {
    return (await ground.until(ground.admin.get(evacuations, key))).metadata.uid
  } catch (error) {
    if (!isKubeError(error, 'notFound')) throw error
    return undefined
  }
}

test('an Evacuation that somebody deletes is let go and asked for again, until the pod is gone', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using _lifeboat = await ground.open()
  await ground.pass(5_000)
  const pod = podRefOf(await ground.createPod('cart', held))
  const { asking } = begin(ground, pod)
  await ground.pass(2_000)
  const first = await uidOf(ground, pod)
  await ground.until(ground.admin.delete(evacuations, { namespace: pod.namespace, name: evacuationName(pod) }))
  await ground.pass(2_000)
  const second = await uidOf(ground, pod)
  expect(first).toBeDefined()
  expect(second).toBeDefined()
  expect(second).not.toBe(first)
  await ground.until(ground.admin.delete(pods, pod))
  expect(await ground.until(asking)).toEqual({ kind: 'podGone' })
})

test('what is refused is said, and nothing more is asked for', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  const pod = podRefOf(await ground.createPod('cart'))
  const { kube, clock } = { kube: ground.admin, clock: ground.clock }
  const { signal } = new AbortController()
  const parts = { kube, clock, random: seededRandom(3), log: silentLog, signal }
  expect(await ground.until(requestUntilGone({ ...parts, instigator: 'Not A Name', pod }))).toMatchObject({
    kind: 'refused',
  })
})

test('the signal ends the wait, and the request stands', async () => {
  await using ground = await openLifeboatGround({ nodes: 1 })
  await using _lifeboat = await ground.open()
  await ground.pass(5_000)
  const pod = podRefOf(await ground.createPod('cart', held))
  const { asking, stop } = begin(ground, pod)
  await ground.pass(2_000)
  stop.abort(new Error('enough'))
  await expect(ground.until(asking)).rejects.toThrow('enough')
  expect(await uidOf(ground, pod)).toBeDefined()
})
