import { conditionIsTrue } from '../../src/api/schema/condition.ts'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evacuations } from '../../src/api/evacuation/evacuation.ts'
import { completedCondition, nodeMaintenances } from '../../src/api/maintenance/node-maintenance.ts'
import {
  deployments,
  leases,
  namespaces,
  nodes,
  podDisruptionBudgets,
  pods,
} from '../../src/api/kubernetes/resources.ts'
import { mailboxNameOf, reportOf } from '../../src/api/maintenance/agent-mailbox.ts'
import { isReady } from '../../src/api/kubernetes/pod-availability.ts'
import { unlessNotFound } from '../../src/kube/client/errors.ts'
import { buildBudget, buildDeployment, buildNode } from '../build/nodes-and-pods.ts'
import { connect, type Connection } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import { startLogindMachine, type LogindMachine } from '../cluster/logind/machine.ts'
import { missingForLogind } from '../cluster/logind/requirements.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'
import { ownCluster } from './own-cluster.ts'

// A machine that reboots, from end to end: the real logind, the agent and Lifeboat as processes, a real Kubernetes. Only
// the kubelet of the node is played.

const missing = await missingForLogind()
if (missing.length > 0) console.log(`left out: a reboot from end to end, for want of ${missing.join(', ')}`)

const cluster = ownCluster()
const root = join(import.meta.dirname, '..', '..')
const [namespace, home] = ['shutdown-drain', 'lifeboat-system'] as const
const [machineNode, otherNode] = ['shutdown-one', 'shutdown-two'] as const
const maintenance = { name: `shutdown-${machineNode}` }
const withinMs = 100_000

let connection: Connection

async function eventually<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const untilMs = Date.now() + withinMs; Date.now() < untilMs;) {
    const found = await read()
    if (found !== undefined) return found
    await pause(50)
  }
  throw new Error(`${what}: not within ${withinMs} ms`)
}

const ifTrue = (is: boolean): true | undefined => (is ? true : undefined)

describe.skipIf(missing.length > 0 && !isContinuousIntegration())('a reboot, from end to end', () => {
  const open = new AsyncDisposableStack()
  let machine: LogindMachine

  beforeAll(async () => {
    connection = open.use(await connect(cluster))
    const { kube } = connection
    open.use(await startLifeboat(cluster.kubeconfigPath))
    open.defer(async () => {
      // Its machine never comes back, so Lifeboat would keep it, and the next file would meet it.
      const patch = { type: 'merge', body: { metadata: { finalizers: null } } } as const
      await unlessNotFound(kube.patch(nodeMaintenances, maintenance, patch))
    })
    await kube.create(namespaces, { metadata: { name: namespace } })
    open.defer(async () => void (await kube.delete(namespaces, { name: namespace })))
    for (const name of [machineNode, otherNode]) {
      await kube.create(nodes, buildNode({ name, labels: { pool: namespace } }))
      open.defer(async () => void (await kube.delete(nodes, { name })))
    }
    // One replica and a budget that lets no pod go: the drain takes as long as the replacement does.
    const pod = { readyAfter: '4s', spec: { nodeSelector: { pool: namespace } } }
    await kube.create(deployments, buildDeployment({ name: 'web', namespace, replicas: 1, pod }))
    const budget = buildBudget({ name: 'web', namespace, selector: { app: 'web' }, minAvailable: 1 })
    await kube.create(podDisruptionBudgets, budget)
    machine = open.use(await startLogindMachine())
    await machine.lock('Lifeboat')
    const words = ['agent', '--kubeconfig', cluster.kubeconfigPath, '--node', machineNode]
    const rest = ['--pod-name', 'agent-x', '--pod-uid', 'u', '--shutdown', '--shutdown-budget', '10m']
    await machine.start(join(root, 'node_modules', '.bin', 'node'), [join(root, 'src/cli/main.ts'), ...words, ...rest])
    open.defer(async () => {
      await unlessNotFound(kube.delete(nodeMaintenances, maintenance))
      await unlessNotFound(kube.delete(leases, { namespace: home, name: mailboxNameOf(machineNode) }))
    })
  }, 240_000)
  afterAll(() => open.disposeAsync(), 120_000)

  const shutdownReport = async () => {
    const mailbox = await unlessNotFound(
      connection.kube.get(leases, { namespace: home, name: mailboxNameOf(machineNode) }),
    )
    return mailbox === undefined ? undefined : reportOf(mailbox)?.shutdown
  }
  const runningOn = async (node: string) => {
    const { items } = await connection.kube.list(pods, { namespace })
    return items.filter((pod) => pod.spec?.nodeName === node && isReady(pod))
  }
  const isUnschedulable = async () =>
    (await connection.kube.get(nodes, { name: machineNode })).spec?.unschedulable === true

  test('one that is scheduled and called off leaves the node as it was', async () => {
    await eventually('all is well', async () => ifTrue((await shutdownReport())?.problems.length === 0))
    await machine.schedule('reboot', Date.now() + 30 * 60_000)
    await eventually('the node is cordoned', async () => ifTrue(await isUnschedulable()))
    await machine.cancelScheduled()
    await eventually('the node is given back', async () => ifTrue(!(await isUnschedulable())))
    expect(await machine.startedUnits()).toEqual([])
  }, 300_000)

  test('waits until the node is drained, and not a second longer', async () => {
    const { kube } = connection
    await eventually('what the first one began is undone', async () => {
      const left = await unlessNotFound(kube.get(nodeMaintenances, maintenance))
      const { items } = await kube.list(pods, { namespace })
      const { items: asked } = await kube.list(evacuations, { namespace })
      const isOver = left === undefined || conditionIsTrue(left.status?.conditions, completedCondition)
      return ifTrue(isOver && asked.length === 0 && items.length === 1 && items.every(isReady))
    })
    // It belongs on the machine that goes down.
    await kube.patch(nodes, { name: otherNode }, { type: 'merge', body: { spec: { unschedulable: true } } })
    for (const { metadata } of await runningOn(otherNode)) {
      await kube.delete(pods, { namespace, name: metadata.name }, { preconditions: { uid: metadata.uid } })
    }
    await eventually('the pod is on the machine', async () => ifTrue((await runningOn(machineNode)).length === 1))
    await kube.patch(nodes, { name: otherNode }, { type: 'merge', body: { spec: { unschedulable: false } } })
    await machine.reboot()
    const drained = eventually('the node is drained', async () => {
      const found = await unlessNotFound(kube.get(nodeMaintenances, maintenance))
      return ifTrue(
        found?.status?.conditions?.some(({ type, status }) => type === 'Drained' && status === 'True') ?? false,
      )
    }).then(() => Date.now())
    const down = await eventually('the machine goes down', async () => (await machine.startedUnits())[0])
    const atMs = down.atMs
    expect(down.unit).toBe('reboot.target')
    expect(await runningOn(machineNode)).toEqual([])
    expect(await runningOn(otherNode)).toHaveLength(1)
    // Drained is what a poll saw: the machine may go in between, but never much later.
    expect(atMs - (await drained)).toBeLessThan(10_000)
    expect(await isUnschedulable()).toBe(true)
    const { status } = await kube.get(nodes, { name: machineNode })
    expect(status?.conditions?.find(({ type }) => type === 'GracefulNodeShutdownInProgress')?.status).toBe('True')
  }, 300_000)
})
