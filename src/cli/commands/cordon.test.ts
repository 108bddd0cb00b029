import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { runProgram } from '../program.ts'

test('it begins at stage Cordon and says how to go on; a drain of the same nodes takes it over', async () => {
  await using cluster = await openArrangedCluster({ nodes: 4 })
  const run = async (...words: readonly string[]) => {
    const world = commandWorld()
    const code = await runProgram(world, [...words, '--kubeconfig', cluster.kubeconfig])
    return { code, lines: world.lines, errors: world.errors }
  }
  const dry = await run('cordon', 'node-1', '--dry-run=server')
  expect(parse(dry.lines.join('\n'))).toMatchObject({ spec: { stage: 'Cordon' } })
  expect(await run('cordon', 'node-1', 'node-2', '--together', '--reason', 'disks')).toEqual({
    code: 0,
    lines: [
      'nodemaintenance cordon-node-1-and-1-more created at stage Cordon',
      'drain: lifeboat drain node-1 node-2',
      'undo:  lifeboat cancel cordon-node-1-and-1-more',
    ],
    errors: [expect.stringContaining('no Lifeboat is running')],
  })
  const moved = await run('drain', 'node-2', 'node-1', '--detach')
  expect(moved.lines[0]).toContain(
    'cordon-node-1-and-1-more is there for the same nodes: moved on from Cordon to Drain',
  )
  expect((await cluster.admin.get(nodeMaintenances, { name: 'cordon-node-1-and-1-more' })).spec.reason).toBe('disks')
  const labels = await run('cordon', '-l', 'kubernetes.io/hostname=node-1')
  expect(labels.lines[1]).toBe('drain: lifeboat drain -l "kubernetes.io/hostname=node-1"')
  const each = await run('cordon', 'node-4', 'node-3')
  const [, name = ''] = /^(cordon-2-nodes-[0-9a-f]{6}): 2 nodemaintenances created/.exec(each.lines[0] ?? '') ?? []
  expect(each.lines.slice(1)).toEqual(['drain: lifeboat drain node-4 node-3', `undo:  lifeboat cancel ${name}`])
  const on = await run('drain', 'node-3', 'node-4', '--detach')
  expect(on.lines[0]).toBe(`${name} continues, with one nodemaintenance for each node: 2 moved on to Drain`)
})
