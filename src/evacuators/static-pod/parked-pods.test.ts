import { expect, test } from 'vitest'
import { agentGround } from '../../../test/build/agent-ground.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { ParkedPods } from './parked-pods.ts'

type Ground = ReturnType<typeof agentGround>

async function lead(ground: Ground, isOn = true) {
  const controller = new ParkedPods({ ...ground.parts, isOn })
  const stop = new AbortController()
  const following = controller.follow(stop.signal)
  await ground.clock.advance(10)
  await controller.synced()
  const leading = controller.lead(stop.signal)
  await ground.clock.advance(100)
  return {
    controller,
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await Promise.all([following, leading])
    },
  }
}

test('what is parked stays so while its node is under maintenance, and no longer', async () => {
  const ground = agentGround()
  await ground.createNode('one', true)
  await ground.createMailbox('one', ['shop/b'])
  await ground.want('one', 'shop/b')
  await using _leading = await lead(ground)
  await ground.clock.advance(3_600_000)
  expect(await ground.wanted('one')).toEqual(['shop/b'])
  await ground.endMaintenance('one')
  await ground.clock.advance(100)
  expect(await ground.wanted('one')).toEqual([])
})

test('is let go at the start if the maintenance ended before', async () => {
  const ground = agentGround()
  await ground.createNode('one', false)
  await ground.createMailbox('one', ['shop/b'])
  await ground.want('one', 'shop/b')
  await using _leading = await lead(ground)
  expect(await ground.wanted('one')).toEqual([])
})

test('with the gate off nothing stays parked', async () => {
  const ground = agentGround()
  await ground.createNode('one', true)
  await ground.createMailbox('one', ['shop/b'])
  await ground.want('one', 'shop/b')
  await using _leading = await lead(ground, false)
  expect(await ground.wanted('one')).toEqual([])
})

test('a pod that still ends is not brought back before it is gone', async () => {
  const ground = agentGround()
  await ground.createNode('one', true)
  const metadata = { namespace: 'shop', name: 'b', finalizers: ['example.com/keeper'] }
  await ground.admin.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'b:1' }] } })
  await ground.createMailbox('one', ['shop/b'])
  await ground.want('one', 'shop/b', 'shop/never-parked')
  await using _leading = await lead(ground)
  await ground.endMaintenance('one')
  await ground.clock.advance(5_000)
  expect(await ground.wanted('one')).toEqual(['shop/b'])
  await ground.admin.delete(pods, { namespace: 'shop', name: 'b' }, { gracePeriodSeconds: 0 })
  const body = { metadata: { finalizers: null } }
  await ground.admin.patch(pods, { namespace: 'shop', name: 'b' }, { type: 'merge', body })
  await ground.clock.advance(5_000)
  expect(await ground.wanted('one')).toEqual([])
})

test('a mailbox that lost what was wanted gets it back', async () => {
  const ground = agentGround()
  await ground.createNode('one', true)
  await using _leading = await lead(ground)
  await ground.createMailbox('one', ['shop/b'])
  await ground.clock.advance(100)
  expect(await ground.wanted('one')).toEqual(['shop/b'])
})

test('a mailbox belongs to its node', async () => {
  const ground = agentGround()
  await ground.createNode('one', false)
  await using _leading = await lead(ground)
  await ground.createMailbox('one', [])
  await ground.clock.advance(100)
  expect((await ground.mailbox('one')).metadata.ownerReferences).toMatchObject([{ kind: 'Node', name: 'one' }])
})

test('that a manifest was replaced is told once', async () => {
  const ground = agentGround()
  await ground.createNode('one', true)
  await ground.createMailbox('one', ['shop/b'])
  await ground.want('one', 'shop/b')
  await using _leading = await lead(ground)
  await ground.report('one', ['shop/b'], ['shop/b'])
  await ground.clock.advance(100)
  await ground.report('one', [], ['shop/b'])
  await ground.clock.advance(100)
  expect(ground.events.map(({ reason }) => reason)).toEqual(['ManifestSuperseded'])
})
