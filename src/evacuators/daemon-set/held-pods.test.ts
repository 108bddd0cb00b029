import { describe, expect, test } from 'vitest'
import { heldGround } from '../../../test/build/held-pods.ts'
import { HeldPods } from './held-pods.ts'

async function lead(ground: ReturnType<typeof heldGround>) {
  const controller = new HeldPods(ground.parts)
  const stop = new AbortController()
  const following = controller.follow(stop.signal)
  await ground.clock.advance(10)
  await controller.synced()
  const leading = controller.lead(stop.signal)
  await ground.clock.advance(10)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await Promise.all([following, leading])
    },
  }
}

describe('a held pod', () => {
  test('stays held while its node is drained of pods like it, whatever else happens to the node', async () => {
    const ground = heldGround()
    await ground.createNode('six', 5_000)
    await ground.createPod('logs', 'six')
    await using _leading = await lead(ground)
    await ground.patchNode('six', { labels: { rack: '7' } })
    await ground.clock.advance(3_600_000)
    expect(await ground.isHeld('logs')).toBe(true)
  })

  test.each([
    { name: 'the maintenance of its node ends', act: (ground: Ground) => ground.endMaintenance('six') },
    { name: 'its node goes', act: (ground: Ground) => ground.deleteNode('six') },
    {
      name: 'it is no longer within the targets',
      act: (ground: Ground) => ground.patchNode('six', { annotations: ground.draining(-1) }),
    },
  ])('is released as soon as $name', async ({ act }) => {
    const ground = heldGround()
    await ground.createNode('six', 5_000)
    await ground.createNode('seven', 5_000)
    await ground.createPod('logs', 'six')
    await ground.createPod('mail', 'six', { schedulingGates: ['example.com/quota'] })
    await ground.createPod('elsewhere', 'seven')
    await using _leading = await lead(ground)
    await act(ground)
    await ground.clock.advance(50)
    expect(await ground.pod('logs')).toMatchObject({ gates: [], labels: { app: 'logs' } })
    expect(await ground.pod('mail')).toMatchObject({ gates: ['example.com/quota'], labels: { app: 'mail' } })
    expect(await ground.isHeld('elsewhere')).toBe(true)
  })

  test('is released at the start if its maintenance ended before', async () => {
    const ground = heldGround()
    await ground.createNode('six')
    await ground.createPod('logs', 'six')
    await using _leading = await lead(ground)
    await ground.clock.advance(50)
    expect(await ground.isHeld('logs')).toBe(false)
  })

  test('is released at once if its maintenance ended between the review and its creation', async () => {
    const ground = heldGround()
    await ground.createNode('six')
    await using _leading = await lead(ground)
    await ground.createPod('logs', 'six')
    await ground.clock.advance(50)
    expect(await ground.isHeld('logs')).toBe(false)
  })

  test('is released also if a user took its label off, which it gets back', async () => {
    const ground = heldGround()
    await ground.createNode('six', 5_000)
    await ground.createPod('logs', 'six')
    await using _leading = await lead(ground)
    await ground.patchPod('logs', { labels: { 'nodemaintenance.k8s.io/held': null } })
    await ground.clock.advance(50)
    expect(await ground.pod('logs')).toMatchObject({ labels: { 'nodemaintenance.k8s.io/held': 'true' } })
    await ground.endMaintenance('six')
    await ground.clock.advance(50)
    expect(await ground.pod('logs')).toEqual({ gates: [], labels: { app: 'logs' } })
  })

  test('is released also if its label was taken off while no replica led', async () => {
    const ground = heldGround()
    await ground.createNode('six', 5_000)
    await ground.patchNode('six', { labels: { 'nodemaintenance.k8s.io/under-maintenance': 'true' } })
    await ground.createPod('logs', 'six')
    await ground.patchPod('logs', { labels: { 'nodemaintenance.k8s.io/held': null } })
    await using _leading = await lead(ground)
    await ground.clock.advance(50)
    expect(await ground.pod('logs')).toMatchObject({ labels: { 'nodemaintenance.k8s.io/held': 'true' } })
    await ground.endMaintenance('six')
    await ground.clock.advance(50)
    expect(await ground.pod('logs')).toEqual({ gates: [], labels: { app: 'logs' } })
  })

  test('is found also if the API server fails at first', async () => {
    const ground = heldGround()
    await ground.createNode('six', 5_000)
    await ground.patchNode('six', { labels: { 'nodemaintenance.k8s.io/under-maintenance': 'true' } })
    await ground.createPod('logs', 'six')
    await ground.patchPod('logs', { labels: { 'nodemaintenance.k8s.io/held': null } })
    let failures = 2
    ground.beforePatch = async () => {
      if (failures-- > 0) throw new Error('etcd is away')
    }
    await using _leading = await lead(ground)
    await ground.clock.advance(20_000)
    expect((await ground.pod('logs')).labels).toEqual({ app: 'logs' })
    await ground.clock.advance(20_000)
    expect((await ground.pod('logs')).labels).toMatchObject({ 'nodemaintenance.k8s.io/held': 'true' })
  })

  test('is released also when it changed at the same moment', async () => {
    const ground = heldGround()
    await ground.createNode('six', 5_000)
    await ground.createPod('logs', 'six')
    await using _leading = await lead(ground)
    let changes = 0
    ground.beforePatch = async () => {
      if (changes++ === 0) await ground.patchPod('logs', { annotations: { note: 'mine' } })
    }
    await ground.endMaintenance('six')
    await ground.clock.advance(50)
    expect(changes).toBe(2)
    expect(await ground.isHeld('logs')).toBe(false)
  })
})

type Ground = ReturnType<typeof heldGround>

test('it watches the held pods, and the nodes that some are held for, and nothing else', async () => {
  const ground = heldGround()
  await ground.createNode('six', 5_000)
  await ground.createNode('seven', 5_000)
  await using _leading = await lead(ground)
  const held = 'pods?labelSelector=nodemaintenance.k8s.io/held'
  expect(ground.watched()).toEqual([held])
  await ground.createPod('logs', 'six')
  await ground.createPod('mail', 'six')
  await ground.clock.advance(50)
  expect(ground.watched()).toEqual([held, 'nodes?fieldSelector=metadata.name=six'])
  await ground.endMaintenance('six')
  await ground.clock.advance(50)
  expect(ground.watched()).toEqual([held])
})
