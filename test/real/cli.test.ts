import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import { featureGateDefaults } from '../../src/api/feature-gates.ts'
import { runProgram } from '../../src/cli/program.ts'
import { run as runLifeboat } from '../../src/cli/commands/run.ts'
import { buildBudget, buildDeployment, buildNode } from '../build/nodes-and-pods.ts'
import { commandWorld } from '../build/served-cluster.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { ownCluster } from './own-cluster.ts'

// What an admin types, on a real API server: its words for what is missing or forbidden, and a drain from end to end.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
const namespace = 'cli-test'
const nodes = ['cli-test-1', 'cli-test-2']
const apply = (object: unknown) => kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(object) })

async function run(...words: readonly string[]) {
  const world = commandWorld()
  const code = await runProgram(world, [...words, '--kubeconfig', cluster.kubeconfigPath])
  return { code, text: world.lines.join('\n'), errors: world.errors }
}

beforeAll(async () => {
  const uninstalled = await run('uninstall', '--force')
  // The API server serves a kind for a moment longer than its definition is there.
  await vi.waitFor(
    async () => {
      if ((await run('status')).code !== 1) throw new Error(`still there after: ${JSON.stringify(uninstalled)}`)
    },
    { timeout: 30_000 },
  )
  await kubectl(['create', 'namespace', namespace])
  for (const name of nodes) await apply(buildNode({ name, labels: { pool: 'cli-test' } }))
  await kubectl(['wait', '--for=condition=Ready', 'node', '-l', 'pool=cli-test', '--timeout=30s'])
})

afterAll(async () => {
  await run('uninstall', '--force')
  await kubectl(['delete', 'namespace', namespace, '--wait=false'])
  await kubectl(['delete', 'node', ...nodes])
})

test('a cluster without Lifeboat', async () => {
  for (const words of [['status'], ['drain', 'cli-test-1'], ['complete', 'cli-test-1']]) {
    expect(await run(...words)).toMatchObject({
      code: 1,
      errors: ['lifeboat: Lifeboat is not installed on this cluster', expect.any(String)],
    })
  }
  expect((await run('version')).text).toMatch(/\nKubernetes v1\.\d+\.\d+ at https:.*\nLifeboat on it: not installed$/)
})

describe('with Lifeboat', () => {
  const lifeboat = commandWorld()
  let running: Promise<void>
  beforeAll(async () => {
    running = runLifeboat(lifeboat, {
      featureGates: featureGateDefaults,
      controllerEvictTimeout: 60_000,
      shutdownPodPriorities: [],
      webhookPort: 0,
      listen: undefined,
      logLevel: 'error',
      kubeconfig: cluster.kubeconfigPath,
    })
    await Promise.race([lifeboat.ready, running])
  })
  afterAll(async () => {
    lifeboat.interrupt()
    await running
  })

  test('a user without rights is told which one is missing', async () => {
    await kubectl(['-n', namespace, 'create', 'serviceaccount', 'stranger'])
    const token = (await kubectl(['-n', namespace, 'create', 'token', 'stranger'])).trim()
    const document = parse(await readFile(cluster.kubeconfigPath, 'utf8')) as { users: { user: object }[] }
    for (const entry of document.users) entry.user = { token }
    const path = join(cluster.folder, 'stranger.yaml')
    await writeFile(path, stringify(document))
    const world = commandWorld()
    expect(await runProgram(world, ['status', '--kubeconfig', path])).toBe(1)
    expect(world.errors[0]).toBe(
      `lifeboat: you (system:serviceaccount:${namespace}:stranger) may not list nodemaintenances.nodemaintenance.k8s.io in the whole cluster`,
    )
  })

  test('what the server refuses is told with field and value; a dry run writes nothing', async () => {
    const { code, errors } = await run('drain', 'cli-test-1', '--name', 'Not_A_Name')
    expect(code).toBe(1)
    expect(errors[0]).toMatch(/^lifeboat: the API server refuses it: metadata\.name: Invalid value: "Not_A_Name"/)
    const dry = await run('drain', '-l', 'pool in (cli-test),!gpu', '--dry-run=server')
    const { items } = parse(dry.text) as { items: { metadata: { name: string }; spec: { drainPlan: unknown[] } }[] }
    expect(items.map(({ metadata }) => metadata.name)).toEqual(
      nodes.map((name) => expect.stringMatching(new RegExp(`^drain-pool-in-cli-test-gpu-[0-9a-f]{6}-${name}$`))),
    )
    expect(items[0]?.spec.drainPlan).toHaveLength(12)
    const together = await run('drain', '-l', 'pool in (cli-test),!gpu', '--together', '--dry-run=server')
    expect(parse(together.text)).toMatchObject({ metadata: { name: 'drain-cli-test-1-and-1-more' } })
    // What the webhook warns of is printed, as kubectl does.
    const all = await run('drain', '-l', '!lifeboat.test/none', '--dry-run=server', '-o', 'json')
    expect(all.errors[0]).toMatch(/^warning: .*all/)
    expect((await run('status')).text).toBe('No maintenances. `lifeboat drain NODE` begins one.')
  })

  test('a node is cordoned, drained, completed; another drain is cancelled', async () => {
    await apply(
      buildDeployment({
        name: 'web',
        namespace,
        replicas: 1,
        pod: { spec: { nodeSelector: { pool: 'cli-test' } }, tolerations: [] },
      }),
    )
    await apply(buildBudget({ name: 'web', namespace, selector: { app: 'web' }, minAvailable: 1 }))
    await kubectl(['-n', namespace, 'rollout', 'status', 'deployment/web', '--timeout=60s'])
    const where = async () =>
      (await kubectl(['-n', namespace, 'get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}'])).trim()
    const node = await where()
    expect((await run('cordon', node)).text).toContain(`nodemaintenance cordon-${node} created at stage Cordon`)
    const drained = await run('drain', node, '--timeout', '60s', '--reason', 'OS upgrade')
    expect(drained).toMatchObject({ code: 0, errors: [] })
    expect(drained.text).toContain(`cordon-${node} is there for the same nodes: moved on from Cordon to Drain`)
    expect(drained.text).toMatch(new RegExp(`^cordon-${node}: 1 node drained, \\d+ pods? moved in \\d+s$`, 'm'))
    expect(await where()).not.toBe(node)
    expect((await run('status', node)).text).toMatch(/^Stage: +Drain \(drained\)$/m)
    expect(await run('complete', node, '--timeout', '60s')).toMatchObject({ code: 0 })
    expect(await kubectl(['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}'])).toBe('')
    expect(await run('drain', node, '--detach')).toMatchObject({ code: 0 })
    expect(await run('cancel', node, '--timeout', '60s')).toMatchObject({ code: 0 })
    expect(await kubectl(['get', 'nodemaintenances', '-o', 'name'])).toBe(
      `nodemaintenance.nodemaintenance.k8s.io/cordon-${node}\n`,
    )
  })

  test('a drain of several nodes is looked at, completed and cancelled by its name', async () => {
    await kubectl(['-n', namespace, 'delete', 'deployment', 'web'])
    const [one = '', two = ''] = nodes
    const left = async () => (await kubectl(['get', 'nodemaintenances', '-l', rack, '-o', 'name'])).trim().split('\n')
    const rack = 'nodemaintenance.k8s.io/drain=rack'
    // They may be all nodes of the cluster, which is a warning.
    expect(await run('drain', one, two, '--name', 'rack', '--timeout', '60s')).toMatchObject({ code: 0 })
    expect(await left()).toHaveLength(2)
    expect((await run('status', 'rack')).text).toMatch(/^Stage: +Drain \(drained\)$/m)
    expect(await run('why', 'rack')).toMatchObject({ code: 0, errors: [] })
    expect(await run('complete', one, '--timeout', '60s')).toMatchObject({ code: 0 })
    const unschedulable = async (node: string) =>
      await kubectl(['get', 'node', node, '-o', 'jsonpath={.spec.unschedulable}'])
    expect([await unschedulable(one), await unschedulable(two)]).toEqual(['', 'true'])
    expect(await run('cancel', 'rack', '--timeout', '60s')).toMatchObject({ code: 0 })
    expect(await left()).toEqual([''])
    expect(await unschedulable(two)).toBe('')
  })
})
