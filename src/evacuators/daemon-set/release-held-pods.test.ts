import { expect, test } from 'vitest'
import { heldGround } from '../../../test/build/held-pods.ts'
import { FormerlyHeldPods, releaseHeldPods } from './release-held-pods.ts'

test('every held pod is let go, whatever is said of its node, and no gate of others', async () => {
  const ground = heldGround()
  await ground.createNode('six', 5_000)
  await ground.createPod('logs', 'six')
  await ground.createPod('mail', 'six', { schedulingGates: ['example.com/quota'] })
  await ground.createPod('unlabelled', 'six', { labels: { app: 'unlabelled' } })
  expect(await releaseHeldPods(ground.parts.kube)).toBe(3)
  expect(await ground.pod('logs')).toEqual({ gates: [], labels: { app: 'logs' } })
  expect(await ground.pod('mail')).toEqual({ gates: ['example.com/quota'], labels: { app: 'mail' } })
  expect(await ground.pod('unlabelled')).toEqual({ gates: [], labels: { app: 'unlabelled' } })
  expect(await releaseHeldPods(ground.parts.kube)).toBe(0)
})

test('a pod that changes at the same moment is let go all the same', async () => {
  const ground = heldGround()
  await ground.createPod('logs', 'six')
  let changes = 0
  ground.beforePatch = async () => {
    if (changes++ < 2) await ground.patchPod('logs', { annotations: { at: String(changes) } })
  }
  await releaseHeldPods(ground.parts.kube)
  expect(await ground.isHeld('logs')).toBe(false)
})

test('with the gate off held pods are let go, also one that a webhook held at the last moment', async () => {
  const ground = heldGround()
  await ground.createNode('six', 5_000)
  await ground.createPod('logs', 'six')
  const controller = new FormerlyHeldPods(ground.parts)
  const stop = new AbortController()
  const following = controller.follow(stop.signal)
  await controller.synced()
  const leading = controller.lead(stop.signal)
  await ground.clock.advance(100)
  expect(await ground.isHeld('logs')).toBe(false)
  await ground.createPod('late', 'six')
  await ground.clock.advance(31_000)
  expect(await ground.isHeld('late')).toBe(false)
  expect(ground.watched()).toEqual([])
  stop.abort(new Error('the test is over'))
  await Promise.all([following, leading])
})
