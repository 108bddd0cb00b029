import { expect, test } from 'vitest'
import { agentGround } from '../../../test/build/agent-ground.ts'
import { buildMailbox, shutdownThatMayGo } from '../../api/maintenance/agent-mailbox.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import { releaseShutdowns } from './release-shutdowns.ts'

test('every shutdown that an agent holds up is let go, and told once', async () => {
  const { admin, clock, namespace, createMailbox, mailbox } = agentGround()
  const shutdown = { mode: 'Prefer' as const, budgetSeconds: 30, problems: [] }
  const going = { id: 'a', phase: 'Signalled' as const, action: 'reboot' }
  const reportOf = (node: string) => ({ node, pod: { name: 'agent', uid: 'u' }, bootID: 'b' })
  await admin.create(leases, buildMailbox(namespace, { ...reportOf('one'), shutdown: { ...shutdown, going } }))
  await admin.create(leases, buildMailbox(namespace, { ...reportOf('two'), shutdown }))
  await createMailbox('three', [])
  expect(await releaseShutdowns({ kube: admin, clock }, namespace)).toBe(1)
  const told = await Promise.all(['one', 'two', 'three'].map(async (node) => shutdownThatMayGo(await mailbox(node))))
  expect(told).toEqual(['a', undefined, undefined])
  expect(await releaseShutdowns({ kube: admin, clock }, namespace)).toBe(0)
})
