import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openArrangedCluster, type ArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { buildMaintenance } from '../../../test/build/drain-view.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { buildMailbox } from '../../api/maintenance/agent-mailbox.ts'
import { leases } from '../../api/kubernetes/resources.ts'
import type { DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { runProgram } from '../program.ts'
import { renderTargets } from './status.ts'

/** Another process, or a busy machine, may take its time. */
const patience = { timeout: 20_000 }

let cluster: ArrangedCluster
beforeAll(async () => {
  cluster = await openArrangedCluster({ nodes: 4 })
  await cluster.setLeader('lifeboat-1')
  await cluster.setMaintenance({
    name: 'drain-a',
    nodes: ['node-1', 'node-2'],
    reason: 'OS upgrade',
    beganMs: Date.now(),
  })
  await cluster.setMaintenance({ name: 'cordon-b', stage: 'Cordon', nodes: ['node-3'] })
  await cluster.setNode({ name: 'node-1', pending: 1, evacuating: 1 })
  await cluster.setNode({ name: 'node-3', isCordoned: true })
  await cluster.addEvacuation({
    pod: 'cart-7',
    node: 'node-1',
    blocker: { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 },
  })
})
afterAll(() => cluster[Symbol.asyncDispose]())

function begin(...words: readonly string[]) {
  const world = commandWorld()
  return { world, running: runProgram(world, ['status', ...words, '--kubeconfig', cluster.kubeconfig]) }
}

async function run(...words: readonly string[]) {
  const { world, running } = begin(...words)
  const code = await running
  return { code, text: world.lines.join('\n'), errors: world.errors }
}

test('all of them, and what waits', async () => {
  const { code, text, errors } = await run()
  expect({ code, errors }).toEqual({ code: 0, errors: [] })
  expect(text).toMatch(/^NAME +STAGE +NODES +DRAINED +PENDING +EVACUATING +EXPECTED +AGE$/m)
  expect(text).toMatch(/^cordon-b +Cordon +1 +- +0 +0 +- +\d+s$/m)
  expect(text).toMatch(/^drain-a +Drain +2 +0 +1 +1 +- +\d+s$/m)
  expect(text).toContain('1 pod waits:\n  shop/cart-7 waits for budget cart (1 healthy, 2 needed) (node-1)')
  expect((await run('-o', 'wide')).text).toContain('OS upgrade')
})

test('one, by its name or by a node of it', async () => {
  const byName = await run('drain-a')
  expect(byName.text).toMatch(/^Stage: +Drain$/m)
  expect(byName.text).toMatch(/^node-1 +blocked +1 +1 +- +Evacuating$/m)
  expect(byName.text).toMatch(/^node-2 +unseen +0 +0 +- +Lifeboat has not come to it yet$/m)
  expect((await run('node-2')).text).toMatch(/^Name: +drain-a$/m)
})

test('with what the agent of each node last reported', async () => {
  expect((await run('drain-a')).text).not.toContain('AGENT')
  const pod = { name: 'agent', uid: 'u' }
  const staticPods = { folder: '/m', parked: ['kube-system/proxy-node-1'], superseded: [], problems: [] }
  const report = { node: 'node-1', pod, bootID: 'b', staticPods }
  const mailbox = await cluster.admin.create(leases, buildMailbox(installation.namespace, report))
  const { text } = await run('drain-a')
  expect(text).toMatch(/^node-1 +blocked +1 +1 +- +static pods, 1 parked +Evacuating$/m)
  expect(text).toMatch(/^node-2 +unseen +0 +0 +- +no agent +Lifeboat has not come to it yet$/m)
  const data = JSON.parse((await run('drain-a', '-o', 'json')).text) as { nodes: { agent: unknown }[] }
  expect(data.nodes.map(({ agent }) => agent)).toEqual([
    { installed: true, staticPods: { parked: ['kube-system/proxy-node-1'], problems: [] }, shutdown: null },
    { installed: false, staticPods: null, shutdown: null },
  ])
  await cluster.admin.delete(leases, { namespace: installation.namespace, name: mailbox.metadata.name })
})

test('for programs', async () => {
  const all = JSON.parse((await run('-o', 'json')).text) as { items: { name: string }[] }
  expect(all.items.map(({ name }) => name).toSorted()).toEqual(['cordon-b', 'drain-a'])
  expect(parse((await run('drain-a', '-o', 'yaml')).text)).toMatchObject({
    name: 'drain-a',
    blockers: [{ pod: 'cart-7' }],
  })
})

test('what it is not: a name that nobody has', async () => {
  expect(await run('drain-b')).toMatchObject({
    code: 1,
    errors: ['lifeboat: no maintenance and no node is called drain-b', expect.stringContaining('drain-a')],
  })
})

describe('live', () => {
  test('until it is drained', async () => {
    await cluster.setMaintenance({ name: 'drain-d', nodes: ['node-4'], beganMs: Date.now() })
    const { world, running } = begin('-w', 'drain-d')
    await expect.poll(() => world.lines.join('\n'), patience).toContain('drain-d: 0/1 node drained')
    await cluster.setMaintenance({ name: 'drain-d', nodes: ['node-4'], beganMs: Date.now(), drainedMs: Date.now() })
    expect(await running).toBe(0)
    expect(world.lines.at(-1)).toBe('When the work on it is done: lifeboat complete drain-d')
  })

  test('or deleted', async () => {
    await cluster.setMaintenance({ name: 'cordon-d', stage: 'Cordon', nodes: ['node-4'] })
    const { world, running } = begin('-w', 'cordon-d')
    await expect.poll(() => world.lines.join('\n'), patience).toContain('cordon-d: 1 node')
    await cluster.admin.delete(nodeMaintenances, { name: 'cordon-d' })
    expect(await running).toBe(0)
    expect(world.lines.at(-1)).toBe('cordon-d is deleted')
  })

  test('or completed', async () => {
    await cluster.setMaintenance({ name: 'cordon-e', stage: 'Cordon', nodes: ['node-4'] })
    const { world, running } = begin('-w', 'cordon-e')
    await expect.poll(() => world.lines.join('\n'), patience).toContain('cordon-e: 1 node')
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const conditions = [{ type: 'Completed', status: 'True', reason: 'Completed', message: '', lastTransitionTime }]
    const patch = { type: 'merge', body: { status: { conditions } } } as const
    await cluster.admin.patch(nodeMaintenances, { name: 'cordon-e' }, patch, { subresource: 'status' })
    expect(await running).toBe(0)
    expect(world.lines.at(-1)).toBe('cordon-e is completed')
    await cluster.admin.delete(nodeMaintenances, { name: 'cordon-e' })
  })

  test('Ctrl-C ends the view and not the maintenance', async () => {
    const { world, running } = begin('-w', 'drain-a')
    await expect.poll(() => world.lines.join('\n'), patience).toContain('node-1: 0/2 gone, shop/cart-7 waits')
    world.interrupt()
    expect(await running).toBe(130)
    expect(world.errors[0]).toBe('lifeboat: drain-a continues without you')
  })
})

test('targets in words', () => {
  const { status, ...rest } = buildMaintenance()
  if (status === undefined) throw new Error('it has a status')
  expect(renderTargets([{ ...rest, status }])).toBe('-')
  const reachedDrainTargets: DrainPlanEntry[] = [
    { podPriority: 1_000, podType: 'Default' },
    { podPriority: 5, podType: 'DaemonSet', podSelector: { matchLabels: { app: 'a' } } },
  ]
  const reached = { ...status, drainStatus: { ...status.drainStatus, reachedDrainTargets } }
  expect(
    renderTargets([
      { ...rest, status },
      { ...rest, status: reached },
    ]),
  ).toBe('not the same on all nodes')
  expect(renderTargets([{ ...rest, status: reached }])).toBe(
    'Default pods up to priority 1000, DaemonSet pods with certain labels up to priority 5',
  )
})
