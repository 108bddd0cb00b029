import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildNode } from '../build/nodes-and-pods.ts'
import { chart, release } from '../cluster/helm.ts'
import { hasPart } from '../cluster/newer-parts.ts'
import { missingForContainers } from '../cluster/kubelet/requirements.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'
import {
  buildMaintenance,
  confinementOf,
  hashOf,
  type InstallWorld,
  leaderOf,
  openInstallWorld,
  playedTaint,
  podOf,
  replicasOf,
} from './install-world.ts'

// Lifeboat as clusters run it: the image, by the chart, as two pods on a real kubelet, from install to uninstall. What
// it drains is played, as in all other tests.

const missing = await missingForContainers()
if (missing.length > 0) console.log(`left out: Lifeboat installed in a cluster, for want of ${missing.join(', ')}`)

const inNamespace = ['--namespace', release.namespace]
/** The image is there already, and no registry has it. */
const here = ['--set', 'image.pullPolicy=Never']
const waiting = ['--wait', '--timeout', '120s']

let world: InstallWorld

describe.skipIf(missing.length > 0 && !isContinuousIntegration())('Lifeboat in a cluster', () => {
  const open = new AsyncDisposableStack()
  beforeAll(async () => {
    world = open.use(await openInstallWorld(['cart', 'checkout', 'orders']))
  }, 600_000)
  afterAll(() => open.disposeAsync(), 120_000)

  const kubectl = (args: readonly string[], stdin?: string) =>
    world.cluster.kubectl(args, stdin === undefined ? {} : { stdin })
  const drain = (name: string, node: string) => kubectl(['create', '-f', '-'], buildMaintenance(name, node))
  const untilDrained = (name: string) =>
    kubectl(['wait', '--for=condition=Drained', `nodemaintenance/${name}`, '--timeout=90s'])
  const untilReleased = async (pod: string) => {
    await expect.poll(() => hashOf(world.cluster, pod), { timeout: 30_000 }).toBe('')
  }
  const complete = async (name: string) => {
    const patch = JSON.stringify({ spec: { stage: 'Complete' } })
    await kubectl(['patch', 'nodemaintenance', name, '--type=merge', '-p', patch])
    await kubectl(['wait', '--for=condition=Completed', `nodemaintenance/${name}`, '--timeout=60s'])
  }

  test('helm install brings two replicas up, one of which leads', async () => {
    const { helm, cluster } = world
    const said = await helm(['install', release.name, chart, ...inNamespace, '--create-namespace', ...here, ...waiting])
    expect(said).toContain('STATUS: deployed')
    const replicas = await replicasOf(cluster)
    expect(replicas.map(({ isReady }) => isReady)).toEqual([true, true])
    await expect.poll(() => leaderOf(cluster)).not.toBe('')
    const leading = await Promise.all(replicas.map(({ address }) => leadingOf(address)))
    expect(leading.filter((is) => is === 1)).toHaveLength(1)
    expect(replicas.map(({ name }) => name)).toContain(await leaderOf(cluster))
  })

  test('each runs as nobody, may nothing, and writes nowhere', async () => {
    for (const { containerId } of await replicasOf(world.cluster)) {
      expect(await confinementOf(await world.node.pidOf(containerId))).toEqual({
        user: '65532',
        group: '65532',
        capabilities: '0000000000000000',
        noNewPrivileges: '1',
        seccomp: '2',
        root: 'ro',
      })
    }
  })

  test('a drain goes on with the other replica when the one that leads is killed', async () => {
    const { cluster, node } = world
    await using watch = await world.watch()
    const pod = await podOf(cluster, 'cart')
    await drain('kill', pod.node)
    await untilReleased(pod.name)
    const leader = await leaderOf(cluster)
    const containerOf = async (name: string) =>
      (await replicasOf(cluster)).find((replica) => replica.name === name)?.containerId ?? ''
    const first = await containerOf(leader)
    process.kill(await node.pidOf(first), 'SIGKILL')
    // It is back in a second, and might well be the one that takes over: so once more.
    await expect.poll(() => containerOf(leader), { timeout: 20_000 }).not.toBe(first)
    process.kill(await node.pidOf(await containerOf(leader)), 'SIGKILL')
    await untilDrained('kill')
    expect(await leaderOf(cluster)).not.toBe(leader)
    expect((await podOf(cluster, 'cart')).node).not.toBe(pod.node)
    await complete('kill')
    expect(watch.lowest()).toEqual({ cart: 1, checkout: 1, orders: 1 })
    await expect
      .poll(async () => (await replicasOf(cluster)).map(({ isReady }) => isReady), { timeout: 60_000 })
      .toEqual([true, true])
  })

  test('a drain goes on through helm upgrade, and webhooks are answered all the time', async () => {
    const { cluster, helm } = world
    await using watch = await world.watch()
    const pod = await podOf(cluster, 'checkout')
    const before = new Set((await replicasOf(cluster)).map(({ name }) => name))
    await drain('upgrade', pod.node)
    await untilReleased(pod.name)
    const asking = new AbortController()
    const refusals = askAgainAndAgain(asking.signal, () =>
      kubectl(['create', '--dry-run=server', '-f', '-'], buildMaintenance('asked', 'nowhere')),
    )
    await helm(['upgrade', release.name, chart, ...inNamespace, ...here, '--set', 'logLevel=debug', ...waiting])
    const after = await replicasOf(cluster)
    expect(after.filter(({ name }) => before.has(name))).toEqual([])
    await untilDrained('upgrade')
    asking.abort()
    expect(await refusals).toEqual([])
    await complete('upgrade')
    expect(watch.lowest()).toEqual({ cart: 1, checkout: 1, orders: 1 })
    const args = 'jsonpath={.spec.template.spec.containers[0].args}'
    expect(await kubectl(['get', 'deployment', 'lifeboat', ...inNamespace, '-o', args])).toContain('--log-level=debug')
  })

  test('helm uninstall in the middle of a drain leaves nothing held', async () => {
    const { cluster, helm } = world
    await using watch = await world.watch()
    const pod = await podOf(cluster, 'orders')
    // No room for its replacement: however long the rest takes, the drain is in the middle.
    const others = ['played-a', 'played-b', 'played-c', 'played-d'].filter((name) => name !== pod.node)
    await kubectl(['cordon', ...others])
    await drain('uninstall', pod.node)
    await untilReleased(pod.name)
    // And a node that is drained, down to the DaemonSet, whose next pod is held off.
    await kubectl(['create', '-f', '-'], JSON.stringify(buildNode({ name: 'played-drained', taints: [playedTaint] })))
    // One that its DaemonSet makes at the very moment when the drain begins stays for two minutes, as if it had come back.
    const onIt = ['-n', 'shop', 'get', 'pods', '--field-selector=spec.nodeName=played-drained', '-o', 'name']
    await expect.poll(() => kubectl(onIt), { timeout: 30_000 }).toContain('pod/agent-')
    await drain('uninstall-too', 'played-drained')
    await untilDrained('uninstall-too')
    const isHeldAgent = (line: string) => line.startsWith('Pod agent-')
    await expect.poll(async () => (await heldIn()).some(isHeldAgent), { timeout: 20_000 }).toBe(true)
    const held = [`Node ${pod.node}`, 'Node played-drained', `Pod ${pod.name}`]
    expect(await heldIn()).toEqual(expect.arrayContaining(held))
    expect(await helm(['uninstall', release.name, ...inNamespace, ...waiting])).toContain('uninstalled')
    expect(await hashOf(cluster, pod.name)).not.toBe('')
    await kubectl(['uncordon', ...others])
    expect(await heldIn()).toEqual([])
    expect(await leftOver()).toEqual([
      'customresourcedefinition.apiextensions.k8s.io/evacuations.evacuation.coordination.k8s.io',
      'customresourcedefinition.apiextensions.k8s.io/nodemaintenances.nodemaintenance.k8s.io',
      'namespace/lifeboat-system',
    ])
    for (const workload of ['deployment/orders', 'daemonset/agent']) {
      const rollout = await kubectl(['-n', 'shop', 'rollout', 'status', workload, '--timeout=30s'])
      expect(rollout).toContain('successfully rolled out')
    }
    expect(watch.lowest()).toEqual({ cart: 1, checkout: 1, orders: 1 })
    await kubectl(['delete', 'namespace', release.namespace])
  })

  test('lifeboat install puts in the plain manifests, and lifeboat uninstall takes them out', async () => {
    const { cluster } = world
    expect(await lifeboat('install')).toMatch(/Lifeboat is installed/)
    const replicas = await replicasOf(cluster)
    expect(replicas.map(({ isReady }) => isReady)).toEqual([true, true])
    // Where the API server knows MutatingAdmissionPolicies, no pod waits for a webhook to get its time.
    const policy = ['get', 'mutatingadmissionpolicy,mutatingadmissionpolicybinding', 'lifeboat-evict-time']
    const webhook = [
      'get',
      'mutatingwebhookconfiguration',
      'lifeboat-admission-evict-time',
      '-o',
      'jsonpath={.webhooks}',
    ]
    if (hasPart('mutatingPolicies')) {
      await kubectl(policy)
      expect(await kubectl(webhook)).toBe('')
    } else {
      await expect(kubectl(policy)).rejects.toThrow("doesn't have a resource type")
      expect(await kubectl(webhook)).toContain('/evict-time')
    }
    // Once more changes nothing, not even the certificate that the API server was told of.
    const bundle = () =>
      kubectl(['get', 'mutatingwebhookconfiguration', 'lifeboat-admission-evacuations', '-o', 'jsonpath={..caBundle}'])
    const before = await bundle()
    expect(await lifeboat('install')).toMatch(/Lifeboat is installed/)
    expect(before).not.toBe('')
    expect(await bundle()).toBe(before)
    expect((await replicasOf(cluster)).map(({ name }) => name)).toEqual(replicas.map(({ name }) => name))
    expect(await lifeboat('uninstall')).toMatch(/Lifeboat is uninstalled\n$/)
    expect(await leftOver()).toEqual([])
  })

  /** As an admin outside of the cluster calls it. */
  async function lifeboat(...words: string[]): Promise<string> {
    const args = [world.program, ...words, '--kubeconfig', world.cluster.kubeconfigPath]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    return stdout
  }

  /** Whatever bears Lifeboat's name, or one of its kinds. */
  async function leftOver(): Promise<string[]> {
    const kinds = (await kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n')
    // Of the last two nobody decides: what was told lapses, and the API server lists what it serves.
    const kept = kinds.filter((kind) => !/^(events|apiservices)/.test(kind))
    const all = await kubectl(['get', kept.join(','), '-A', '-o', 'name', '--ignore-not-found'])
    return all
      .split('\n')
      .filter((name) => /lifeboat|evacuation|nodemaintenance/.test(name))
      .toSorted()
  }

  /** Nodes and pods that still show something of a maintenance. */
  async function heldIn(): Promise<string[]> {
    const list = JSON.parse(await kubectl(['get', 'nodes,pods', '-A', '-o', 'json'])) as { items: Held[] }
    return list.items
      .filter(({ metadata, spec }) => {
        const marks = Object.keys(metadata.annotations ?? {}).filter((key) =>
          /evacuation|nodemaintenance|evict/.test(key),
        )
        const isGated = (spec.schedulingGates ?? []).length > 0
        return marks.length > 0 || spec.unschedulable === true || isGated || (metadata.finalizers ?? []).length > 0
      })
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  }
})

interface Held {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  readonly spec: { readonly unschedulable?: boolean; readonly schedulingGates?: readonly object[] }
}

async function leadingOf(address: string): Promise<number> {
  const metrics = await (await fetch(`http://${address}:8081/metrics`)).text()
  return Number(/^leader_election_master_status(?:\{[^}]*\})? (\d)/m.exec(metrics)?.[1])
}

/** What was refused, of all that was asked; the same words once. */
async function askAgainAndAgain(until: AbortSignal, ask: () => Promise<string>): Promise<string[]> {
  const refusals = new Set<string>()
  while (!until.aborted) await ask().catch((error: unknown) => refusals.add(String(error)))
  return [...refusals]
}
