import { expect, test } from 'vitest'
import { agentGround } from '../../../test/build/agent-ground.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { Informer } from '../../kube/watch/informer.ts'
import { stored } from '../../../test/build/stored.ts'
import { nodeAgents } from './node-agents.ts'

async function open(staticPodsLeave = true) {
  const ground = agentGround()
  const { namespace } = ground
  const mailboxes = new Informer({ ...ground.parts, resource: leases, selection: { namespace } })
  const stop = new AbortController()
  const running = mailboxes.run(stop.signal)
  await ground.clock.advance(10)
  const agents = nodeAgents(mailboxes, { namespace, staticPodsLeave })
  const close = async () => {
    stop.abort(new Error('the test is over'))
    await running
  }
  return { ground, agents, [Symbol.asyncDispose]: close }
}

test('static pods leave where a mailbox says that they do, and maintenances hear of it once', async () => {
  await using opened = await open()
  const { ground, agents } = opened
  await agents.synced()
  const told: string[] = []
  using _subscription = agents.subscribe((node) => void told.push(node))
  expect(agents.staticPodsLeave('one')).toBe(false)
  await ground.createMailbox('one', [])
  await ground.clock.advance(10)
  expect(agents.staticPodsLeave('one')).toBe(true)
  expect(agents.staticPodsLeave('two')).toBe(false)
  await ground.report('one', ['a/b'])
  await ground.clock.advance(10)
  expect(told).toEqual(['one'])
})

test('with the gate off they stay', async () => {
  await using opened = await open(false)
  await opened.ground.createMailbox('one', [])
  await opened.ground.clock.advance(10)
  expect(opened.agents.staticPodsLeave('one')).toBe(false)
})

test('the agent is known by its label, at home', async () => {
  await using opened = await open()
  const labels = { 'nodemaintenance.k8s.io/agent': 'true' }
  expect(opened.agents.isNodeAgent(stored<Pod>({ metadata: { namespace: 'shop', labels } }))).toBe(true)
  expect(opened.agents.isNodeAgent(stored<Pod>({ metadata: { namespace: 'other', labels } }))).toBe(false)
})
