import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { commandWorld, openServedCluster, type ServedCluster } from '../../../test/build/served-cluster.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { labels } from '../../api/names.ts'
import { install } from '../../manager/install/install.ts'
import { installation } from '../../manager/install/installation-names.ts'
import { sleep } from '../../runtime/clock.ts'
import { systemClock } from '../../runtime/system.ts'
import { runProgram } from '../program.ts'

let served: ServedCluster

beforeAll(async () => {
  served = await openServedCluster({ nodes: 1 })
  await install({ kube: served.admin, clock: systemClock }, installation.namespace)
  const spec = { nodeName: 'node-1', terminationGracePeriodSeconds: 60, containers: [{ name: 'main', image: 'web:1' }] }
  const annotations = { 'lifeboat.test/terminate-after': '60s' }
  for (const name of ['web-0', 'web-1']) {
    await served.admin.create(pods, { metadata: { namespace: 'default', name, annotations }, spec })
  }
  while ((await served.admin.get(pods, web(1))).status?.phase !== 'Running') await sleep(systemClock, 10)
  await served.admin.delete(pods, web(1))
})
afterAll(() => served[Symbol.asyncDispose]())

const web = (at: number) => ({ namespace: 'default', name: `web-${at}` })

async function run(words: readonly string[], programName = 'lifeboat') {
  const world = { ...commandWorld(), programName }
  const exitCode = await runProgram(world, ['why', '--kubeconfig', served.kubeconfig, ...words])
  return { exitCode, lines: world.lines, errors: world.errors }
}

describe('what is asked about', () => {
  test.each([
    { name: 'a node', words: ['node-1'], first: 'nothing drains node-1' },
    { name: 'a pod of the namespace of the context', words: ['web-0'], first: /^default\/web-0 is not asked to leave/ },
    { name: 'a pod with its namespace', words: ['default/web-0'], first: /^default\/web-0 is not asked to leave/ },
    { name: 'a pod with -n', words: ['-n', 'default', 'web-0'], first: /^default\/web-0 is not asked to leave/ },
    { name: 'a node although -n is there', words: ['-n', 'default', 'node-1'], first: 'nothing drains node-1' },
    { name: 'a pod on its way out', words: ['web-1'], first: /^default\/web-1 has been terminating for \d+ of 60 s/ },
  ])('$name', async ({ words, first }) => {
    const { exitCode, lines } = await run(words)
    expect(lines[0]).toMatch(first)
    expect(exitCode).toBe(0)
  })
})

describe('what is not there', () => {
  test.each([
    {
      name: 'a name that is nearly one of a node',
      words: ['node-2'],
      errors: ['lifeboat: there is no node and no drain node-2, and no pod default/node-2', 'Did you mean node-1?'],
    },
    {
      name: 'a name that nothing has',
      words: ['elsewhere'],
      errors: [
        'lifeboat: there is no node and no drain elsewhere, and no pod default/elsewhere',
        '`kubectl get nodes` lists nodes, `lifeboat status` drains; a pod of another namespace is NAMESPACE/POD, or goes with -n.',
      ],
    },
    {
      name: 'a pod of a namespace',
      words: ['shop/web-9'],
      errors: [
        'lifeboat: there is no pod shop/web-9',
        'If it was there, it is gone, and nothing waits for it; `kubectl get pods -A` lists those that are there.',
      ],
    },
  ])('$name', async ({ words, errors }) => {
    expect(await run(words)).toEqual({ exitCode: 1, lines: [], errors })
  })

  test('a wrong format is wrong usage', async () => {
    const { exitCode, errors } = await run(['node-1', '-o', 'wide'])
    expect(exitCode).toBe(2)
    expect(errors.join('\n')).toContain('It takes one of json, yaml.')
  })
})

test('for programs it is the same in JSON and YAML', async () => {
  const json = JSON.parse((await run(['node-1', '-o', 'json'])).lines.join('\n')) as object
  expect(json).toMatchObject({
    about: 'node',
    node: { name: 'node-1', state: 'Untouched', commands: ['lifeboat drain node-1'] },
    pods: [{ namespace: 'default', name: 'web-1', phase: 'Terminating', blockedBy: { kind: 'terminating' } }],
  })
  const yaml = parse((await run(['web-0', '-o', 'yaml'])).lines.join('\n')) as object
  expect(yaml).toMatchObject({ about: 'pod', pods: [{ name: 'web-0', phase: 'Unaffected', nodeName: 'node-1' }] })
})

test('a drain is told of by its name, as text and for programs', async () => {
  const nodeSelector = {
    nodeSelectorTerms: [
      { matchFields: [{ key: 'metadata.name' as const, operator: 'In' as const, values: ['node-1'] }] },
    ],
  }
  const metadata = { name: 'rack-node-1', labels: { [labels.drain]: 'rack' } }
  await served.admin.create(nodeMaintenances, { metadata, spec: { nodeSelector, stage: 'Drain', drainPlan: [] } })
  try {
    expect((await run(['rack'])).lines.slice(0, 3)).toEqual([
      'rack: 1 node, 1 Draining',
      '',
      'node-1 is to be drained by rack-node-1, and Lifeboat has not looked at it yet',
    ])
    expect(JSON.parse((await run(['rack', '-o', 'json'])).lines.join('\n'))).toMatchObject({
      about: 'drain',
      name: 'rack',
      nodes: [{ name: 'node-1', state: 'Draining' }],
    })
    expect((await run(['rack', '-o', 'yaml'], 'kubectl lifeboat')).lines.join('\n')).toContain(
      'kubectl lifeboat status',
    )
    expect((await run(['rock'])).errors[1]).toBe('Did you mean rack?')
  } finally {
    await served.admin.delete(nodeMaintenances, { name: 'rack-node-1' })
  }
})

test('called as a plugin of kubectl it names commands of the plugin', async () => {
  const { lines } = await run(['node-1'], 'kubectl lifeboat')
  expect(lines).toContain('      kubectl lifeboat drain node-1')
})

test('whoever waits is told that no Lifeboat is running', async () => {
  expect((await run(['node-1'])).errors).toEqual([expect.stringContaining('no Lifeboat is running')])
  expect((await run(['web-0'])).errors).toEqual([])
})
