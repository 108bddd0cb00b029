import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { openArrangedCluster, type ArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { runProgram } from '../program.ts'

let cluster: ArrangedCluster
let folder: string
beforeAll(async () => {
  cluster = await openArrangedCluster({ nodes: 12 })
  await cluster.setLeader('lifeboat-1')
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-drain-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await cluster[Symbol.asyncDispose]()
})

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

const get = (name: string) => cluster.admin.get(nodeMaintenances, { name })

/** The controller that these tests play needs a moment to be looked at. */
async function untilShown({ lines }: { readonly lines: readonly string[] }, text: string): Promise<void> {
  await expect.poll(() => lines.join('\n'), { timeout: 10_000, interval: 20 }).toContain(text)
}

test('detached it says how to go on, and is done', async () => {
  expect(await run('drain', 'node-1', '--detach', '--reason', 'OS upgrade')).toEqual({
    code: 0,
    lines: [
      'nodemaintenance drain-node-1 created at stage Drain',
      'watch:    lifeboat status -w drain-node-1',
      'complete: lifeboat complete drain-node-1',
      'undo:     lifeboat cancel drain-node-1',
    ],
    errors: [],
  })
  expect((await get('drain-node-1')).spec).toMatchObject({ stage: 'Drain', reason: 'OS upgrade' })
  const again = await run('drain', 'node-1', '--detach')
  expect(again.lines[0]).toBe('nodemaintenance drain-node-1 is there for the same nodes, at stage Drain')
})

test('--together: one maintenance for all; it is shown until all is drained, with what comes next', async () => {
  const { world, running } = begin('drain', 'node-2', 'node-3', '--together')
  await untilShown(world, 'drain-node-2-and-1-more: 0/2 nodes drained')
  await cluster.setMaintenance({ name: 'drain-node-2-and-1-more', nodes: ['node-2', 'node-3'], beganMs: Date.now() })
  await cluster.setNode({ name: 'node-2', pending: 2 })
  await cluster.setNode({ name: 'node-3' })
  await untilShown(world, 'node-2: 0/2 gone, 2 to come')
  await cluster.setNode({ name: 'node-2' })
  await cluster.setMaintenance({ name: 'drain-node-2-and-1-more', beganMs: Date.now(), drainedMs: Date.now() })
  expect(await running).toBe(0)
  expect(world.lines.slice(-2)).toEqual([
    expect.stringMatching(/^drain-node-2-and-1-more: 2 nodes drained, 2 pods moved in \d+s$/),
    'When the work on them is done: lifeboat complete drain-node-2-and-1-more',
  ])
})

test('Ctrl-C leaves it running, with exit code 130', async () => {
  const { world, running } = begin('drain', 'node-4')
  await untilShown(world, 'drain-node-4: 0/1 node drained')
  world.interrupt()
  expect(await running).toBe(130)
  expect(world.errors).toEqual([
    'lifeboat: drain-node-4 continues without you',
    'watch:    lifeboat status -w drain-node-4\ncomplete: lifeboat complete drain-node-4\nundo:     lifeboat cancel drain-node-4',
  ])
  expect((await get('drain-node-4')).spec.stage).toBe('Drain')
})

test('when the time is up it says what it waits for, with exit code 3', async () => {
  await cluster.setNode({ name: 'node-5', evacuating: 1 })
  await cluster.addEvacuation({
    pod: 'cart-7',
    node: 'node-5',
    blocker: { kind: 'budget', budget: 'cart', healthy: 1, needed: 2 },
  })
  const { code, errors } = await run('drain', 'node-5', '--timeout', '300ms')
  expect(code).toBe(3)
  expect(errors[0]).toBe(
    'lifeboat: drain-node-5 is not drained after 0s and continues: shop/cart-7 waits for budget cart (1 healthy, 2 needed)',
  )
  expect(errors[1]).toContain('undo:     lifeboat cancel drain-node-5')
})

test('one that somebody deletes meanwhile has failed', async () => {
  const { world, running } = begin('drain', 'node-6')
  await untilShown(world, 'drain-node-6: 0/1 node drained')
  await cluster.admin.delete(nodeMaintenances, { name: 'drain-node-6' })
  expect(await running).toBe(1)
  expect(world.errors[0]).toBe('lifeboat: drain-node-6 was deleted before it was drained')
})

describe('a dry run', () => {
  test('prints the object as the server would have it, and writes nothing', async () => {
    const { code, lines, errors } = await run('drain', 'node-7', '--dry-run=server')
    expect(code).toBe(0)
    expect(errors).toEqual(['nodemaintenance drain-node-7 created at stage Drain (server dry run)'])
    expect(parse(lines.join('\n'))).toMatchObject({ kind: 'NodeMaintenance', metadata: { name: 'drain-node-7' } })
    await expect(get('drain-node-7')).rejects.toThrow('not found')
  })

  test('in JSON, for programs alone', async () => {
    const { lines, errors } = await run('drain', 'node-7', '--dry-run=server', '-o', 'json')
    expect(errors).toEqual([])
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ spec: { stage: 'Drain' } })
  })
})

test('-o json prints nothing but the object', async () => {
  const { lines } = await run('drain', 'node-8', '--detach', '-o', 'json')
  expect(JSON.parse(lines.join('\n'))).toMatchObject({ metadata: { name: 'drain-node-8' } })
  await cluster.setMaintenance({ name: 'drain-node-8', nodes: ['node-8'], drainedMs: Date.now() })
  const waited = await run('drain', 'node-8', '-o', 'yaml')
  expect(parse(waited.lines.join('\n'))).toMatchObject({ status: { conditions: [{ type: 'Drained' }] } })
})

test('nodes by labels, together: also those that get the labels later', async () => {
  const labels = 'kubernetes.io/hostname in (node-9,node-10)'
  const { lines } = await run('drain', '-l', labels, '--together', '--detach', '--name', 'by-label')
  expect(lines[0]).toBe('nodemaintenance by-label created at stage Drain')
  expect((await get('by-label')).spec.nodeSelector.nodeSelectorTerms[0]?.matchExpressions).toEqual([
    { key: 'kubernetes.io/hostname', operator: 'In', values: ['node-9', 'node-10'] },
  ])
})

describe('a plan', () => {
  test('goes with the maintenance', async () => {
    const file = join(folder, 'plan.yaml')
    await writeFile(file, '- { podPriority: 100, podSelector: { matchLabels: { app: batch } } }\n')
    expect((await run('drain', 'node-11', '--plan', file, '--detach')).code).toBe(0)
    expect((await get('drain-node-11')).spec.drainPlan?.[0]).toEqual({
      podPriority: 100,
      podType: 'Default',
      podSelector: { matchLabels: { app: 'batch' } },
    })
  })

  test('that is bad is refused with line and column, and nothing is written', async () => {
    const file = join(folder, 'bad.yaml')
    await writeFile(file, '- podPriority: 1\n  podType: Normal\n')
    const { code, errors } = await run('drain', 'node-12', '--plan', file)
    expect(code).toBe(2)
    expect(errors[0]).toBe(
      `lifeboat: ${file}:2:12: drainPlan[0].podType is "Normal": must be one of Default, DaemonSet, Static`,
    )
    expect(errors[1]).toContain('Nothing was changed.')
    await expect(get('drain-node-12')).rejects.toThrow('not found')
  })

  test('that is not there is named', async () => {
    const { code, errors } = await run('drain', 'node-12', '--plan', join(folder, 'none.yaml'))
    expect(code).toBe(2)
    expect(errors[0]).toBe(`lifeboat: plan file ${join(folder, 'none.yaml')} does not exist`)
  })
})
