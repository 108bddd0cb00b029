import { expect, test } from 'vitest'
import { buildServer } from '../../../test/build/embedded-server.ts'
import { buildKube } from '../../../test/build/kube.ts'
import { ownKinds } from '../../../test/build/own-kinds.ts'
import { buildMailbox, shutdownThatMayGo } from '../../api/maintenance/agent-mailbox.ts'
import { leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { holdsForCleanUp, shutdownMarkOf } from '../../api/maintenance/shutdown-maintenance.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { conditionPatch } from './node-condition.ts'
import { ShutdownWrites } from './shutdown-writes.ts'

const mark = { node: 'six', id: 'a', bootID: 'b' }
const going = { id: 'a', phase: 'Signalled', action: 'reboot' } as const
const choices = { nodeUid: 'n', going, drainPlan: [] }
const key = { name: 'shutdown-six' }
const { signal } = new AbortController()

function open() {
  const { transport, clock } = buildServer({ definitions: ownKinds() })
  const kube = buildKube(transport, clock)
  return { kube, writes: new ShutdownWrites(kube, signal) }
}

const another = { metadata: storedMeta({ ...key, uid: '00000000-0000-0000-0000-000000000000' }) }

test('a maintenance is made once, taken over, completed and removed, and never one of another UID', async () => {
  const { kube, writes } = open()
  expect(await writes.create(mark, choices)).toBe(true)
  expect(await writes.create({ ...mark, id: 'z' }, choices)).toBe(false)
  const made = await kube.get(nodeMaintenances, key)
  expect(shutdownMarkOf(made)).toEqual(mark)
  expect(await writes.takeOver(made, { ...mark, id: 'c' }, { ...going, action: 'poweroff' })).toBe(true)
  const taken = await kube.get(nodeMaintenances, key)
  expect([shutdownMarkOf(taken)?.id, taken.spec.reason]).toEqual(['c', 'poweroff of node six'])
  expect(await writes.remove({ ...made, ...another })).toBe(false)
  expect(await writes.complete(made)).toBe(true)
  expect((await kube.get(nodeMaintenances, key)).spec.stage).toBe('Complete')
  expect(await writes.remove(made)).toBe(true)
  expect((await kube.get(nodeMaintenances, key)).metadata.deletionTimestamp).toBeDefined()
})

test('pods that the kubelet left behind on the node go, no others, and then the finalizer', async () => {
  const { kube, writes } = open()
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }]
  for (const [name, nodeName, reason] of [
    ['left', 'six', 'Terminated'],
    ['evicted', 'six', 'Evicted'],
    ['elsewhere', 'seven', 'Terminated'],
  ] as const) {
    const spec = { nodeName, containers: [{ name: 'main', image: 'web:1' }] }
    await kube.create(pods, { metadata: { namespace: 'shop', name, ownerReferences }, spec })
    const body = { status: { phase: 'Failed', reason } }
    await kube.patch(pods, { namespace: 'shop', name }, { type: 'merge', body }, { subresource: 'status' })
  }
  await writes.create(mark, choices)
  const made = await kube.get(nodeMaintenances, key)
  expect(await writes.clean(made, { ...mark, cleaned: true })).toBe(1)
  const { items } = await kube.list(pods, { namespace: 'shop' })
  expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(['elsewhere', 'evicted'])
  const cleaned = await kube.get(nodeMaintenances, key)
  expect([holdsForCleanUp(cleaned), shutdownMarkOf(cleaned)?.cleaned]).toEqual([false, true])
})

test('an agent is told, and told that it is over; one whose mailbox is gone is not', async () => {
  const { kube, writes } = open()
  const report = { node: 'six', pod: { name: 'agent', uid: 'u' }, bootID: 'b' }
  const mailbox = await kube.create(leases, buildMailbox('shop', report))
  const mayGo = async () => shutdownThatMayGo(await kube.get(leases, { namespace: 'shop', name: 'lifeboat-agent-six' }))
  expect(await writes.tellAgent(mailbox, 'a')).toBe(true)
  expect(await mayGo()).toBe('a')
  expect(await writes.tellAgent(mailbox, null)).toBe(true)
  expect(await mayGo()).toBeUndefined()
  await kube.delete(leases, { namespace: 'shop', name: 'lifeboat-agent-six' })
  expect(await writes.tellAgent(mailbox, 'a')).toBe(false)
})

test('of the status of a node one condition is written', async () => {
  const { kube, writes } = open()
  const made = await kube.create(nodes, { metadata: { name: 'six' } })
  const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' }
  const body = { status: { conditions: [ready] } }
  await kube.patch(nodes, { name: 'six' }, { type: 'merge', body }, { subresource: 'status' })
  const patch = conditionPatch(made, true, 0)
  expect(patch !== undefined && (await writes.setCondition(made, patch))).toBe(true)
  const { status } = await kube.get(nodes, { name: 'six' })
  expect(status?.conditions?.toSorted((a, b) => (a.type < b.type ? -1 : 1))).toMatchObject([
    { type: 'GracefulNodeShutdownInProgress', status: 'True' },
    ready,
  ])
})
