import { expect, test } from 'vitest'
import { agentGround } from '../../test/build/agent-ground.ts'
import { manifestOf, MemoryFolder } from '../../test/build/memory-folder.ts'
import { daemonSets, leases } from '../api/kubernetes/resources.ts'
import { leave } from './leave.ts'
import { keepStaticPods } from './static-pods/static-pod-keeper.ts'

const { signal } = new AbortController()

async function open(daemonSet: 'there' | 'deleted' | 'gone') {
  const ground = agentGround()
  const { namespace, admin } = ground
  const manifests = new MemoryFolder('one')
  await manifests.write('a.yaml', manifestOf('a'))
  await keepStaticPods(manifests, { park: [{ pod: 'kube-system/a-one', since: '2026-01-01T00:00:00Z' }] })
  await ground.createMailbox('one', ['kube-system/a-one'])
  const labels = { app: 'agent' }
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'agent:1' }] } }
  const key = { namespace, name: 'lifeboat-agent' }
  if (daemonSet !== 'gone') {
    const metadata = { ...key, finalizers: ['example.com/keeper'] }
    await admin.create(daemonSets, { metadata, spec: { selector: { matchLabels: labels }, template } })
  }
  if (daemonSet === 'deleted') await admin.delete(daemonSets, key)
  let isBudgetBack = false
  const shutdown = {
    leave: async () => {
      isBudgetBack = true
    },
  }
  const about = { namespace, node: 'one', daemonSet: 'lifeboat-agent' }
  const isLeaving = await leave({ kube: admin, ...about, manifests, shutdown }, signal)
  const { items } = await admin.list(leases, { namespace })
  return { isLeaving, isBudgetBack, visible: manifests.visible().length, mailboxes: items.length }
}

test.each([
  { daemonSet: 'there', expected: { isLeaving: false, isBudgetBack: false, visible: 0, mailboxes: 1 } },
  { daemonSet: 'deleted', expected: { isLeaving: true, isBudgetBack: true, visible: 1, mailboxes: 0 } },
  { daemonSet: 'gone', expected: { isLeaving: true, isBudgetBack: true, visible: 1, mailboxes: 0 } },
] as const)('with its DaemonSet $daemonSet', async ({ daemonSet, expected }) => {
  expect(await open(daemonSet)).toEqual(expected)
})
