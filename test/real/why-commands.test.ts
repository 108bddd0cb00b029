import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BlockerKind } from '../../src/api/blocker/blocker.ts'
import type { WhyReport } from '../../src/cli/why/report.ts'
import { buildBudget, buildDeployment, buildNode, buildPod, type KubernetesObject } from '../build/nodes-and-pods.ts'
import { createKubectl } from '../cluster/kubectl.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import { ownCluster } from './own-cluster.ts'

// `lifeboat why` on a real cluster: what it says is so, and the commands that it offers can be copied.

const cluster = ownCluster()
const kubectl = createKubectl(cluster)
const run = promisify(execFile)
const command = join(import.meta.dirname, '..', '..', 'bin', 'lifeboat')
const namespace = 'why-test'
const node = 'why-test-node'
const waiting = { timeout: 60_000, interval: 500 }
const nodeSelector = { scenario: namespace }
const pod = { terminationGracePeriodSeconds: 1, spec: { nodeSelector } }
let lifeboat: LifeboatProcess

function maintenance(): KubernetesObject {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }]
  return {
    apiVersion: 'nodemaintenance.k8s.io/v1alpha1',
    kind: 'NodeMaintenance',
    metadata: { name: namespace },
    spec: { stage: 'Drain', nodeSelector: { nodeSelectorTerms: [{ matchFields }] } },
  }
}

const lone = (name: string) => buildPod({ name, namespace, labels: { app: name }, ...pod })
const budgetOf = (app: string, name = app) => buildBudget({ name, namespace, selector: { app }, minAvailable: 1 })

async function apply(...objects: readonly object[]): Promise<void> {
  // One List: kubectl 1.32 reads no JSON documents in a row.
  const list = { apiVersion: 'v1', kind: 'List', items: objects }
  await kubectl(['apply', '-f', '-'], { stdin: JSON.stringify(list) })
}

async function why(...words: readonly string[]): Promise<string> {
  const { stdout } = await run(command, ['why', '--kubeconfig', cluster.kubeconfigPath, ...words])
  return stdout
}

async function report(): Promise<WhyReport> {
  return JSON.parse(await why(node, '-o', 'json')) as WhyReport
}

const uninstall = () => run(command, ['uninstall', '--kubeconfig', cluster.kubeconfigPath, '--force'])

beforeAll(async () => {
  // Other files of this folder install the definitions alone.
  await uninstall()
  lifeboat = await startLifeboat(cluster.kubeconfigPath)
  await kubectl(['create', 'namespace', namespace])
  await apply(buildNode({ name: node, labels: nodeSelector }))
  const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  await apply(
    lone('strict'),
    budgetOf('strict'),
    lone('twice'),
    budgetOf('twice'),
    budgetOf('twice', 'once-more'),
    lone('held'),
    buildDeployment({ name: 'web', namespace, replicas: 2, strategy, pod }),
  )
  await kubectl(['-n', namespace, 'wait', 'pods', '--all', '--for=condition=Ready', '--timeout=60s'])
  await kubectl([
    '-n',
    namespace,
    'patch',
    'pod',
    'held',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":["example.com/hold"]}}',
  ])
})

afterAll(async () => {
  await kubectl([
    '-n',
    namespace,
    'patch',
    'pod',
    'held',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":null}}',
  ]).catch(() => {})
  await kubectl(['delete', 'nodemaintenance', namespace, '--ignore-not-found', '--timeout=60s'])
  await kubectl(['delete', 'namespace', namespace, '--timeout=60s'])
  await kubectl(['delete', 'node', node, '--ignore-not-found'])
  await lifeboat.end('SIGTERM')
  await uninstall()
})

test('before anything is drained it says how to', async () => {
  expect(await why(node)).toBe(
    `nothing drains ${node}\n  next: nothing happens by itself; to drain it:\n      lifeboat drain ${node}\n`,
  )
})

test('each pod that waits is told with its reason, and every command that is offered works', async () => {
  await apply(maintenance())
  const expected: readonly BlockerKind[] = ['budget', 'finalizers', 'manyBudgets', 'replacementUnschedulable', 'turn']
  const kinds = async () => (await report()).pods.flatMap(({ blockedBy }) => blockedBy?.kind ?? []).toSorted()
  await expect.poll(kinds, waiting).toEqual(expected)
  const { pods } = await report()
  const commands = new Set(pods.flatMap((each) => each.commands).filter((each) => each.startsWith('kubectl ')))
  expect(commands.size).toBeGreaterThanOrEqual(5)
  for (const line of commands) expect([line, (await kubectl(line.split(' ').slice(1))) !== '']).toEqual([line, true])
  const said = await why(`${namespace}/strict`)
  expect(said).toContain(`${namespace}/strict waits for budget strict (1 healthy, 1 needed)`)
  expect(said).toContain(`${node} is being drained by ${namespace}`)
})
