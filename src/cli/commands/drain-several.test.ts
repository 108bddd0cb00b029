import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArrangedCluster, type ArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { labels } from '../../api/names.ts'
import { runProgram } from '../program.ts'

let cluster: ArrangedCluster
beforeAll(async () => {
  cluster = await openArrangedCluster({ nodes: 8 })
  await cluster.setLeader('lifeboat-1')
  for (const name of ['node-6', 'node-7']) {
    await cluster.admin.patch(nodes, { name }, { type: 'merge', body: { metadata: { labels: { rack: 'r7' } } } })
  }
})
afterAll(() => cluster[Symbol.asyncDispose]())

function begin(...words: readonly string[]) {
  const world = commandWorld()
  const running = runProgram(world, [...words, '--kubeconfig', cluster.kubeconfig])
  return { world, running }
}

async function run(...words: readonly string[]) {
  const { world, running } = begin(...words)
  const code = await running
  return { code, lines: world.lines, errors: world.errors }
}

const partsOf = async (drain: string) => {
  const { items } = await cluster.admin.list(nodeMaintenances, { labelSelector: `${labels.drain}=${drain}` })
  return items.map(({ metadata, spec }) => `${metadata.name} ${spec.stage}`).toSorted()
}

describe('several nodes are one drain, with a maintenance for each', () => {
  test('it is shown as one, and a node that is blocked does not hold the others', async () => {
    const { world, running } = begin('drain', 'node-1', 'node-2', '--name', 'rack', '--timeout', '8s')
    await expect.poll(() => world.lines.join('\n'), { timeout: 7_000 }).toContain('rack: 0/2 nodes drained')
    expect(world.lines[0]).toBe('rack: 2 nodemaintenances created at stage Drain, one for each node')
    await cluster.setMaintenance({ name: 'rack-node-2', nodes: ['node-2'], drainedMs: Date.now() })
    await cluster.setNode({ name: 'node-2' })
    await cluster.setNode({ name: 'node-1', evacuating: 1 })
    const blocker = { kind: 'budget', budget: 'cart', healthy: 1, needed: 1 } as const
    await cluster.addEvacuation({ pod: 'cart-7', node: 'node-1', blocker })
    expect(await running).toBe(3)
    expect(world.errors[0]).toBe(
      'lifeboat: rack is not drained after 8s and continues: shop/cart-7 waits for budget cart (1 healthy, 1 needed)',
    )
    expect(await partsOf('rack')).toEqual(['rack-node-1 Drain', 'rack-node-2 Drain'])
  })

  test('status has one line for it, its nodes in the detail, and its name is completed by the shell', async () => {
    const table = (await run('status')).lines
    expect(table.filter((line) => line.startsWith('rack'))).toEqual([
      expect.stringMatching(/^rack +Drain +2 +1 +0 +1 /),
    ])
    const detail = (await run('status', 'rack')).lines.join('\n')
    expect(detail).toMatch(/^Nodes: +1 of 2 drained$/m)
    expect(detail.match(/shop\/cart-7 waits/g)).toHaveLength(1)
    const [report] = JSON.parse((await run('status', '-o', 'json')).lines.join('\n')).items
    expect(report).toMatchObject({ name: 'rack', maintenances: ['rack-node-1', 'rack-node-2'], nodesTotal: 2 })
    const shell = commandWorld()
    await runProgram(shell, ['__complete', '--', 'complete', '--kubeconfig', cluster.kubeconfig, 'ra'])
    expect(shell.lines).toContain('rack')
  })

  test('a node of it is completed alone; the same command begins it again; cancel takes all back', async () => {
    await run('complete', 'node-2', '--timeout', '1ms')
    expect(await partsOf('rack')).toEqual(['rack-node-1 Drain', 'rack-node-2 Complete'])
    const again = await run('drain', 'node-1', 'node-2', '--name', 'rack', '--detach')
    expect(again.lines).toEqual([
      'rack continues, with one nodemaintenance for each node: 1 created, 1 there already',
      'watch:    lifeboat status -w rack',
      'complete: lifeboat complete rack',
      'undo:     lifeboat cancel rack',
    ])
    const completed = await run('complete', 'rack', '--dry-run=server', '-o', 'json')
    expect(JSON.parse(completed.lines.join('\n'))).toMatchObject({ kind: 'List', items: [{}, {}, {}] })
    expect(await run('cancel', 'rack')).toMatchObject({
      code: 0,
      lines: [expect.stringContaining('rack: cancelled and deleted, the nodes of 3 maintenances take pods again')],
    })
    expect(await partsOf('rack')).toEqual([])
  })
})

test('nodes by labels: one each, as they are now', async () => {
  const { lines } = await run('drain', '-l', 'rack=r7', '--detach', '-o', 'json')
  const list = JSON.parse(lines.join('\n'))
  expect(list).toMatchObject({ kind: 'List', items: [{ spec: { stage: 'Drain' } }, { spec: { stage: 'Drain' } }] })
  const name: string = list.items[0].metadata.labels[labels.drain]
  expect(name).toMatch(/^drain-rack-r7-[0-9a-f]{6}$/)
  expect(await partsOf(name)).toEqual([`${name}-node-6 Drain`, `${name}-node-7 Drain`])
})

test('a dry run sends each, and writes none', async () => {
  const { errors, lines } = await run('drain', 'node-5', 'node-8', '--name', 'dry', '--dry-run=server')
  expect(errors).toEqual(['dry: 2 nodemaintenances created at stage Drain, one for each node (server dry run)'])
  expect(lines.join('\n')).toContain('name: dry-node-8')
  expect(await partsOf('dry')).toEqual([])
})
