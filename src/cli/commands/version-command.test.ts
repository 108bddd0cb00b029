import { expect, test } from 'vitest'
import { openArrangedCluster } from '../../../test/build/arranged-cluster.ts'
import { commandWorld, openServedCluster } from '../../../test/build/served-cluster.ts'
import { runProgram } from '../program.ts'
import { renderVersion } from './version-command.ts'
import { version } from '../version.ts'

async function run(...words: readonly string[]) {
  const world = commandWorld()
  const code = await runProgram(world, ['version', ...words])
  return { code, lines: world.lines, errors: world.errors }
}

test('without a cluster it is that of the program, and why there is no more', async () => {
  expect(await run('--kubeconfig', '/nowhere')).toEqual({
    code: 0,
    lines: [`lifeboat ${version}`],
    errors: ['no cluster was asked: kubeconfig /nowhere does not exist'],
  })
})

test('a cluster without Lifeboat', async () => {
  await using served = await openServedCluster()
  const { lines } = await run('--kubeconfig', served.kubeconfig)
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/^Kubernetes v1\.\d+.* at https:\/\/127\.0\.0\.1/),
    'Lifeboat on it: not installed',
  ])
})

test('a cluster with Lifeboat, and who leads', async () => {
  await using cluster = await openArrangedCluster({ nodes: 0 })
  expect((await run('--kubeconfig', cluster.kubeconfig)).lines[2]).toBe(
    'Lifeboat on it: installed, and no replica leads',
  )
  await cluster.setLeader('lifeboat-1')
  expect((await run('--kubeconfig', cluster.kubeconfig)).lines[2]).toBe('Lifeboat on it: installed, lifeboat-1 leads')
  const { lines } = await run('--kubeconfig', cluster.kubeconfig, '-o', 'json')
  expect(JSON.parse(lines.join('\n'))).toMatchObject({
    client: version,
    server: { lifeboat: 'installed', leader: 'lifeboat-1' },
  })
  const stranger = await run('--kubeconfig', await cluster.strangersKubeconfig())
  expect(stranger.lines[2]).toBe('Lifeboat on it: unknown')
})

test('who may see that it is there, but not who leads', () => {
  const server = { version: 'v1.37.1', address: 'https://a', lifeboat: 'installed' } as const
  expect(renderVersion({ client: '1', server })[2]).toBe('Lifeboat on it: installed')
})
