import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../src/cli/program.ts'
import { findFreePorts } from './cluster/ports.ts'
import { openArrangedCluster, type ArrangedCluster } from './build/arranged-cluster.ts'
import { commandWorld, openServedCluster, type ServedCluster } from './build/served-cluster.ts'

// Everything that may go wrong for somebody at a command line, through the whole program and over HTTP: one line of what,
// one of what to do, and the exit code.

let folder: string
let bare: ServedCluster
let cluster: ArrangedCluster
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lifeboat-errors-'))
  bare = await openServedCluster({ nodes: 2 })
  cluster = await openArrangedCluster({ nodes: 12 })
})
afterAll(async () => {
  await bare[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
  await rm(folder, { recursive: true })
})

async function run(...words: readonly string[]) {
  const world = commandWorld()
  const code = await runProgram(world, words)
  return { code, lines: world.lines, errors: world.errors }
}

async function kubeconfigTo(server: string, user: object = {}): Promise<string> {
  const path = join(folder, 'kubeconfig')
  const document = {
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  }
  await writeFile(path, JSON.stringify(document))
  return path
}

/** A server that answers everything with its version. */
async function openVersionServer(status: number, body: object) {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** Each command that talks to a cluster. */
const commands = [
  ['drain', 'node-1'],
  ['cordon', 'node-1'],
  ['status'],
  ['status', '-w', 'node-1'],
  ['complete', 'node-1'],
  ['cancel', 'node-1'],
  ['why', 'node-1'],
]

describe.each(commands.map((words) => ({ command: words.join(' '), words })))('$command', ({ words }) => {
  test('without a kubeconfig', async () => {
    const { code, errors } = await run(...words, '--kubeconfig', join(folder, 'none'))
    expect(code).toBe(1)
    expect(errors).toEqual([
      `lifeboat: kubeconfig ${join(folder, 'none')} does not exist`,
      'Name the right file with --kubeconfig or KUBECONFIG, and the right context with --context.',
    ])
  })

  test('with a context that is not there', async () => {
    const { code, errors } = await run(...words, '--kubeconfig', cluster.kubeconfig, '--context', 'production')
    expect(code).toBe(1)
    expect(errors[0]).toContain('context "production" not found; there are: lifeboat (choose with --context)')
  })

  test('to a cluster that is not up', async () => {
    const [port = 0] = await findFreePorts(1)
    const { code, errors } = await run(...words, '--kubeconfig', await kubeconfigTo(`http://127.0.0.1:${port}`))
    expect(code).toBe(1)
    expect(errors[0]).toMatch(
      new RegExp(`^lifeboat: cannot reach the API server at http://127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`),
    )
    expect(errors.slice(1)).toEqual([
      'Is the cluster up, and is it the right one? `kubectl cluster-info` asks the same server.',
    ])
  })

  test('to a Kubernetes that is too old', async () => {
    await using old = await openVersionServer(200, { gitVersion: 'v1.28.4' })
    const { code, errors } = await run(...words, '--kubeconfig', await kubeconfigTo(old.url))
    expect(code).toBe(1)
    expect(errors).toEqual([
      'lifeboat: this is Kubernetes v1.28.4; Lifeboat needs 1.32 or newer',
      'Upgrade the cluster, or choose another one with --context.',
    ])
  })

  test('with credentials that nobody accepts', async () => {
    await using closed = await openVersionServer(401, { kind: 'Status', code: 401, reason: 'Unauthorized' })
    const { code, errors } = await run(...words, '--kubeconfig', await kubeconfigTo(closed.url, { token: 'old' }))
    expect(code).toBe(1)
    expect(errors).toEqual([
      'lifeboat: the API server does not accept your credentials',
      'Log in again, or choose another context with --context.',
    ])
  })

  test('without the rights', async () => {
    const { code, errors, lines } = await run(...words, '--kubeconfig', await strangers())
    expect(code).toBe(1)
    expect(errors[0]).toMatch(
      /^lifeboat: you \(system:serviceaccount:default:stranger\) may not (get|list) (nodes|nodemaintenances\.nodemaintenance\.k8s\.io) in the whole cluster$/,
    )
    expect(errors[1]).toMatch(/^Ask for a role with verb (get|list) on .*; `kubectl auth can-i .*` checks it\.$/)
    expect(lines).toEqual([])
  })
})

let strangersPath: Promise<string> | undefined
const strangers = () => (strangersPath ??= cluster.strangersKubeconfig())

test.each(commands.filter(([name]) => name !== 'why').map((words) => ({ command: words.join(' '), words })))(
  '$command on a cluster without Lifeboat',
  async ({ words }) => {
    const { code, errors, lines } = await run(...words, '--kubeconfig', bare.kubeconfig)
    expect(code).toBe(1)
    expect(errors).toEqual([
      'lifeboat: Lifeboat is not installed on this cluster',
      'Install it with `lifeboat install`, or run it from here with `lifeboat run`.',
    ])
    expect(lines).toEqual([])
  },
)

describe('nodes', () => {
  test.each([
    {
      name: 'one that nobody has',
      words: ['drain', 'nod-1'],
      errors: ['lifeboat: no node is called nod-1', 'Close to it: node-1, node-10, node-11. Nothing was changed.'],
      code: 1,
    },
    {
      name: 'among others that are there',
      words: ['cordon', 'node-1', 'gpu-7', 'gpu-8'],
      errors: ['lifeboat: no nodes are called gpu-7, gpu-8', 'Nothing was changed. `kubectl get nodes` lists them.'],
      code: 1,
    },
    {
      name: 'labels that none has',
      words: ['drain', '-l', 'zone=mars'],
      errors: [
        'lifeboat: no node matches -l "zone=mars"',
        '`kubectl get nodes --show-labels` shows what can be selected by.',
      ],
      code: 1,
    },
    {
      name: 'what is no selector',
      words: ['drain', '-l', 'zone in a'],
      errors: [
        'lifeboat: -l "zone in a" is no selector: "zone in a" is no condition',
        expect.stringContaining('zone=a'),
      ],
      code: 2,
    },
    {
      name: 'none at all',
      words: ['drain'],
      errors: ['lifeboat: which nodes?', expect.stringContaining('lifeboat drain -l')],
      code: 2,
    },
    {
      name: 'both ways',
      words: ['drain', 'node-1', '-l', 'zone=a'],
      errors: ['lifeboat: either names of nodes or -l, not both', expect.any(String)],
      code: 2,
    },
  ])('$name', async ({ words, errors, code }) => {
    expect(await run(...words, '--kubeconfig', cluster.kubeconfig)).toEqual({ code, errors, lines: [] })
    expect(cluster.cluster.store.count('nodemaintenances.nodemaintenance.k8s.io')).toBe(0)
  })
})

describe('a plan file', () => {
  test.each([
    { name: 'that is no YAML', text: '- [1\n', says: ':2:1: ' },
    { name: 'about something else', text: 'kind: Pod\n', says: ':1:1: neither a list of plan entries' },
    {
      name: 'with a wrong value',
      text: 'spec:\n  drainPlan:\n    - podPriority: high\n',
      says: ':3:20: drainPlan[0].podPriority is "high": must be an integer from -2147483648 to 2147483647',
    },
    {
      name: 'in the wrong order',
      text: '- { podPriority: 1, podType: Static }\n- { podPriority: 1 }\n',
      says: ':2:3: drainPlan[1] is {"podPriority":1}: entries must be in the order Default, DaemonSet, Static',
    },
  ])('$name is refused with line and column', async ({ text, says }) => {
    const file = join(folder, 'plan.yaml')
    await writeFile(file, text)
    const { code, errors, lines } = await run('drain', 'node-1', '--plan', file, '--kubeconfig', cluster.kubeconfig)
    expect({ code, lines }).toEqual({ code: 2, lines: [] })
    expect(errors).toHaveLength(2)
    expect(errors[0]).toContain(`lifeboat: ${file}${says}`)
    expect(errors[1]).toContain('Nothing was changed.')
  })
})

test('what the API server refuses: field, value, and what is allowed', async () => {
  const { code, errors } = await run('drain', 'node-1', '--name', 'Not_A_Name', '--kubeconfig', cluster.kubeconfig)
  expect(code).toBe(1)
  expect(errors[0]).toMatch(
    /^lifeboat: the API server refuses it: metadata\.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain/,
  )
  const reason = await run('drain', 'node-1', '--reason', 'x'.repeat(2_000), '--kubeconfig', cluster.kubeconfig)
  expect(reason.errors[0]).toMatch(
    /^lifeboat: the API server refuses it: spec\.reason: Too long: may not be more than 1024/,
  )
})

describe('a user with some rights', () => {
  const rbac = { group: 'rbac.authorization.k8s.io', version: 'v1', namespaced: false }
  const roles = { ...rbac, plural: 'clusterroles', kind: 'ClusterRole' }
  const user = 'system:serviceaccount:default:stranger'

  beforeAll(async () => {
    await strangers()
    const binding = {
      metadata: { name: 'some' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'some' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'stranger' }],
    }
    await cluster.admin.create({ ...rbac, plural: 'clusterrolebindings', kind: 'ClusterRoleBinding' }, binding)
    await cluster.admin.create(roles, { metadata: { name: 'some' } })
  })

  const grant = (...verbs: readonly string[]) => {
    const rule = { apiGroups: ['', 'nodemaintenance.k8s.io'], resources: ['nodes', 'nodemaintenances'], verbs }
    return cluster.admin.patch(roles, { name: 'some' }, { type: 'merge', body: { rules: [rule] } })
  }

  test('who may look and not begin a maintenance is told which right is missing, and nothing is written', async () => {
    await grant('get', 'list')
    expect(await run('drain', 'node-1', '--kubeconfig', await strangers())).toMatchObject({
      code: 1,
      errors: [
        `lifeboat: you (${user}) may not create nodemaintenances.nodemaintenance.k8s.io in the whole cluster`,
        expect.stringContaining('`kubectl auth can-i create nodemaintenances.nodemaintenance.k8s.io --all-namespaces`'),
      ],
    })
    expect(cluster.cluster.store.count('nodemaintenances.nodemaintenance.k8s.io')).toBe(0)
  })

  test('who may begin one and not watch it is told that it goes on, and how', async () => {
    await grant('get', 'list', 'watch', 'create')
    const { code, errors } = await run('drain', 'node-1', '--kubeconfig', await strangers())
    expect(code).toBe(1)
    expect(errors[0]).toBe(
      `lifeboat: you (${user}) may not list evacuations.evacuation.coordination.k8s.io in the whole cluster; the drain continues`,
    )
    expect(errors[1]).toMatch(/^Ask for a role with verb list[^]*\nundo: {5}lifeboat cancel drain-node-1$/)
  })
})
