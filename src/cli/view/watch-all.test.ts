import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { runProgram } from '../program.ts'
import { tableScene } from './watch-all.ts'

/** Another process, or a busy machine, may take its time. */
const patience = { timeout: 20_000 }

test('status -w shows all maintenances until Ctrl-C, and those that come', async () => {
  await using cluster = await openArrangedCluster({ nodes: 2 })
  await cluster.setMaintenance({ name: 'drain-a', nodes: ['node-1'] })
  const world = commandWorld()
  const running = runProgram(world, ['status', '-w', '--kubeconfig', cluster.kubeconfig])
  await expect.poll(() => world.lines.join('\n'), patience).toMatch(/^drain-a /m)
  await cluster.setMaintenance({ name: 'drain-b', nodes: ['node-2'] })
  await expect.poll(() => world.lines.join('\n'), patience).toMatch(/^drain-b /m)
  world.interrupt()
  expect(await running).toBe(130)
})

const size = { columns: 10, rows: 3, color: false }

test('as much as fits, and no line wider than the terminal', () => {
  const scene = tableScene(() => ['a'.repeat(20), 'b', 'c', 'd'])
  expect(scene.frame(size, 0)).toEqual([`${'a'.repeat(9)}…`, 'b', '… and 2 m…'])
  expect(tableScene(() => ['a', 'b', 'c']).frame(size, 0)).toEqual(['a', 'b', 'c'])
})

test('in a pipe only what is new; that time goes on is not', () => {
  let lines = ['NAME AGE', 'a 1s']
  const scene = tableScene(() => lines)
  expect(scene.newLines(0)).toEqual(['NAME AGE', 'a 1s'])
  lines = ['NAME AGE', 'a 2m3s', 'b 1s']
  expect(scene.newLines(0)).toEqual(['b 1s'])
})
