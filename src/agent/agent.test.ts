import { expect, test } from 'vitest'
import { agentGround } from '../../test/build/agent-ground.ts'
import { manifestOf, MemoryFolder } from '../../test/build/memory-folder.ts'
import { reportOf } from '../api/agent-mailbox.ts'
import { leases } from '../api/kubernetes/resources.ts'
import { Agent } from './agent.ts'

async function start(ground: ReturnType<typeof agentGround>, manifests: MemoryFolder | undefined) {
  const stop = new AbortController()
  const pod = { name: 'agent-x', uid: 'u' }
  const agent = new Agent({ ...ground.parts, node: 'one', pod, bootID: 'boot', manifests })
  const running = agent.run(stop.signal)
  await ground.clock.advance(100)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('the test is over'))
      await running
    },
  }
}

const openFolder = async () => {
  const manifests = new MemoryFolder('one')
  await manifests.write('a.yaml', manifestOf('a'))
  return manifests
}

test('says what it is when it comes to a node, and then nothing while nothing happens', async () => {
  const ground = agentGround()
  await using _agent = await start(ground, await openFolder())
  const mailbox = await ground.mailbox('one')
  expect(reportOf(mailbox)).toMatchObject({
    node: 'one',
    bootID: 'boot',
    pod: { name: 'agent-x' },
    staticPods: { parked: [] },
  })
  expect(mailbox.spec?.holderIdentity).toBe('agent-x')
  await ground.clock.advance(24 * 3_600_000)
  expect((await ground.mailbox('one')).metadata.resourceVersion).toBe(mailbox.metadata.resourceVersion)
})

test('does what is wanted, and says so', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  await using _agent = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  expect([manifests.visible().length, await ground.parked('one')]).toEqual([0, ['kube-system/a-one']])
  await ground.want('one')
  await ground.clock.advance(100)
  expect([manifests.visible().length, await ground.parked('one')]).toEqual([1, []])
})

test('takes over the mailbox of the agent before it, and what that parked', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  const first = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  await first[Symbol.asyncDispose]()
  await ground.want('one')
  await using _second = await start(ground, manifests)
  expect(manifests.visible()).toHaveLength(1)
})

test('parks within 20 seconds what somebody writes anew', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  await using _agent = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  await manifests.write('a.yaml', manifestOf('a', { image: 'a:2' }))
  await ground.clock.advance(20_000)
  expect(manifests.visible()).toEqual([])
})

test('without a folder it leaves static pods alone, and says so', async () => {
  const ground = agentGround()
  await using _agent = await start(ground, undefined)
  expect(reportOf(await ground.mailbox('one'))?.staticPods).toBeUndefined()
})

test('a mailbox that somebody deletes is made anew, and nothing changes on the node', async () => {
  const ground = agentGround()
  const manifests = await openFolder()
  await using _agent = await start(ground, manifests)
  await ground.want('one', 'kube-system/a-one')
  await ground.clock.advance(100)
  await ground.admin.delete(leases, { namespace: ground.namespace, name: 'lifeboat-agent-one' })
  await ground.clock.advance(100)
  expect([manifests.visible().length, await ground.parked('one')]).toEqual([0, ['kube-system/a-one']])
})
