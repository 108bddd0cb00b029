import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openArrangedCluster, type ArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld } from '../../../test/build/served-cluster.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { runProgram } from '../program.ts'

/** Another process, or a busy machine, may take its time. */
const patience = { timeout: 20_000 }

let cluster: ArrangedCluster
beforeAll(async () => {
  cluster = await openArrangedCluster({ nodes: 3 })
})
afterAll(() => cluster[Symbol.asyncDispose]())

async function run(...words: readonly string[]) {
  const world = commandWorld()
  const code = await runProgram(world, [...words, '--kubeconfig', cluster.kubeconfig])
  return { code, lines: world.lines, errors: world.errors }
}

const get = (name: string) => cluster.admin.get(nodeMaintenances, { name })
const condition = {
  type: 'Completed',
  status: 'True',
  reason: 'Completed',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}
const patchStatus = (name: string, status: object) =>
  cluster.admin.patch(nodeMaintenances, { name }, { type: 'merge', body: { status } }, { subresource: 'status' })
const holdBack = (name: string, finalizers: readonly string[]) =>
  cluster.admin.patch(nodeMaintenances, { name }, { type: 'merge', body: { metadata: { finalizers } } })

describe('complete', () => {
  test('waits until the nodes are given back', async () => {
    await cluster.setMaintenance({ name: 'one', nodes: ['node-1'] })
    const world = commandWorld()
    const running = runProgram(world, ['complete', 'node-1', '--kubeconfig', cluster.kubeconfig])
    await expect.poll(() => world.errors, patience).toEqual([expect.stringContaining('no Lifeboat is running')])
    expect((await get('one')).spec.stage).toBe('Complete')
    await patchStatus('one', { conditions: [condition] })
    expect(await running).toBe(0)
    expect(world.lines).toEqual(['one: completed, its nodes take pods again unless another maintenance holds them'])
    const again = await run('complete', 'one', '-o', 'json')
    expect(JSON.parse(again.lines.join('\n'))).toMatchObject({ spec: { stage: 'Complete' } })
  })

  test('has its limit, and is not undone by it', async () => {
    await cluster.setMaintenance({ name: 'two', nodes: ['node-2'] })
    const { code, errors } = await run('complete', 'two', '--timeout', '100ms')
    expect(code).toBe(3)
    expect(errors.slice(-2)).toEqual([
      'lifeboat: two is not completed after 0s and continues',
      'watch:  lifeboat status two',
    ])
    expect((await get('two')).spec.stage).toBe('Complete')
  })

  test('changes nothing in a dry run', async () => {
    await cluster.setMaintenance({ name: 'three', nodes: ['node-3'] })
    const { code, lines } = await run('complete', 'three', '--dry-run=server', '-o', 'json')
    expect(code).toBe(0)
    expect(JSON.parse(lines.join('\n'))).toMatchObject({ spec: { stage: 'Complete' } })
    expect((await get('three')).spec.stage).toBe('Drain')
  })
})

describe('cancel', () => {
  test('deletes it, and waits until it is gone', async () => {
    await cluster.setMaintenance({ name: 'four', nodes: ['node-1'] })
    await holdBack('four', ['example.com/held'])
    const running = run('cancel', 'four')
    await expect.poll(async () => (await get('four')).metadata.deletionTimestamp, patience).toBeDefined()
    await holdBack('four', [])
    expect(await running).toMatchObject({
      code: 0,
      lines: ['four: cancelled and deleted, its nodes take pods again unless another maintenance holds them'],
    })
  })

  test('Ctrl-C leaves it going', async () => {
    await cluster.setMaintenance({ name: 'five', nodes: ['node-1'] })
    await holdBack('five', ['example.com/held'])
    const world = commandWorld()
    const running = runProgram(world, ['cancel', 'five', '--kubeconfig', cluster.kubeconfig])
    await expect.poll(() => world.errors, patience).toHaveLength(1)
    world.interrupt()
    expect(await running).toBe(130)
    expect(world.errors.slice(1)).toEqual(['lifeboat: five continues without you', 'watch:  lifeboat status five'])
    await holdBack('five', [])
  })

  test('changes nothing in a dry run', async () => {
    await cluster.setMaintenance({ name: 'six', nodes: ['node-1'] })
    expect((await run('cancel', 'six', '--dry-run=server')).lines.join('\n')).toContain('name: six')
    expect((await get('six')).metadata.deletionTimestamp).toBeUndefined()
  })

  test.each([
    { wanted: 'node-9', code: 1, message: 'lifeboat: no maintenance and no node is called node-9' },
    { wanted: 'node-2', code: 1, message: 'lifeboat: node node-2 is under no maintenance' },
    { wanted: 'node-3', code: 2, message: 'lifeboat: node node-3 is under several maintenances: seven, three' },
  ])('$wanted does not say which', async ({ wanted, code, message }) => {
    if (wanted === 'node-3') await cluster.setMaintenance({ name: 'seven', nodes: ['node-3'] })
    if (wanted === 'node-2') await patchStatus('two', { conditions: [condition] })
    expect(await run('cancel', wanted)).toMatchObject({ code, errors: [message, expect.any(String)] })
  })
})
