import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chart, release } from '../cluster/helm.ts'
import { missingForContainers } from '../cluster/kubelet/requirements.ts'
import { isContinuousIntegration } from '../continuous-integration.ts'
import { type InstallWorld, leaderOf, openInstallWorld, podOf, replicasOf } from './install-world.ts'

// The descheduler as the chart runs it, from one kind to the next, on a real kubelet. What it moves is played.

const missing = await missingForContainers()
if (missing.length > 0) console.log(`left out: the descheduler in a cluster, for want of ${missing.join(', ')}`)

const inNamespace = ['--namespace', release.namespace]
/** The image is there already, and no registry has it. */
const here = ['--set', 'image.pullPolicy=Never']
const waiting = ['--wait', '--timeout', '180s']
const ofDescheduler = 'lifeboat-descheduler'

/** Pods leave nodes with a taint that they do not tolerate. */
const profiles = (args: object = {}) => [
  {
    name: 'taints',
    pluginConfig: [
      { name: 'RemovePodsViolatingNodeTaints', args: { namespaces: { include: ['shop'] }, ...args } },
      { name: 'DefaultEvictor', args: { nodeFit: true } },
    ],
    plugins: { deschedule: { enabled: ['RemovePodsViolatingNodeTaints'] } },
  },
]

let world: InstallWorld

describe.skipIf(missing.length > 0 && !isContinuousIntegration())('the descheduler in a cluster', () => {
  const open = new AsyncDisposableStack()
  beforeAll(async () => {
    world = open.use(await openInstallWorld(['cart']))
  }, 600_000)
  afterAll(() => open.disposeAsync(), 120_000)

  const kubectl = (args: readonly string[]) => world.cluster.kubectl(args)
  const helmArgs = (verb: 'install' | 'upgrade', set: string, args: object = {}) => [
    verb,
    release.name,
    chart,
    ...inNamespace,
    ...(verb === 'install' ? ['--create-namespace'] : []),
    ...here,
    '--set',
    // Without the part that leaves a pod alone which came back to a node: there are only four.
    `descheduler.enabled=true,descheduler.interval=2s,descheduler.policy.lifeboat=null,${set}`,
    '--set-json',
    `descheduler.policy.profiles=${JSON.stringify(profiles(args))}`,
    ...waiting,
  ]

  test('as a part of the controller, the leader moves a pod, and its replacement is ready first', async () => {
    const { cluster, helm } = world
    await helm(helmArgs('install', 'descheduler.kind=Controller'))
    await cartMoves()
    const counts = await Promise.all((await replicasOf(cluster)).map(({ address }) => metricsOf(address)))
    const asked = counts.flatMap(
      (text) => /^descheduler_pod_evacuations\{result="success".*\} (\d+)$/m.exec(text)?.[1] ?? [],
    )
    expect(asked).toEqual(['1'])
    expect((await holderOf(ofDescheduler)).split('_')[0]).toBe(await leaderOf(cluster))
    expect(await ofItsOwn()).toEqual([])
  })

  test('a policy that becomes wrong reaches the leader without a restart, and stops nothing', async () => {
    const { cluster, helm } = world
    const before = await replicasOf(cluster)
    await helm(helmArgs('upgrade', 'descheduler.kind=Controller', { includedTaint: ['misspelt'] }))
    const holder = await leaderOf(cluster)
    const leader = before.find(({ name }) => name === holder)
    await expect
      .poll(async () => /^descheduler_policy_problems (\d+)$/m.exec(await metricsOf(leader?.address ?? ''))?.[1], {
        timeout: 150_000,
        interval: 1_000,
      })
      .toBe('1')
    const after = await replicasOf(cluster)
    expect(after.map(({ name, restarts, isReady }) => ({ name, restarts, isReady }))).toEqual(
      before.map(({ name }) => ({ name, restarts: 0, isReady: true })),
    )
    // The one before it stays in force.
    await cartMoves()
  }, 300_000)

  test('as a Deployment it has an account of its own, and the controller nothing of it', async () => {
    const { helm } = world
    await helm(helmArgs('upgrade', 'descheduler.kind=Deployment'))
    await cartMoves()
    expect(await holderOf(ofDescheduler)).toMatch(/^lifeboat-descheduler-/)
    expect(await boundTo()).toEqual(['lifeboat-descheduler', 'lifeboat-descheduler'])
    const args = ['get', 'deployment', 'lifeboat', ...inNamespace, '-o', 'jsonpath={.spec.template.spec}']
    expect(await kubectl(args)).not.toContain('descheduler')
    expect(await ofItsOwn()).toEqual([
      'deployment.apps/lifeboat-descheduler',
      'networkpolicy.networking.k8s.io/lifeboat-descheduler',
      'service/lifeboat-descheduler-metrics',
      'serviceaccount/lifeboat-descheduler',
      'validatingadmissionpolicy.admissionregistration.k8s.io/lifeboat-descheduler-account',
      'validatingadmissionpolicybinding.admissionregistration.k8s.io/lifeboat-descheduler-account',
    ])
  })

  test('back in the controller, nothing is left of that, and helm uninstall leaves nothing at all', async () => {
    const { helm } = world
    await helm(helmArgs('upgrade', 'descheduler.kind=Controller'))
    await cartMoves()
    expect(await boundTo()).toEqual(['lifeboat', 'lifeboat'])
    expect(await ofItsOwn()).toEqual([])
    await helm(['uninstall', release.name, ...inNamespace, ...waiting])
    expect((await named(/descheduler|evacuation/)).filter((name) => !name.startsWith('customresource'))).toEqual([])
  })

  /** Taints the node that it is on, and waits until it is on another. */
  async function cartMoves(): Promise<void> {
    await using watch = await world.watch()
    const { node } = await podOf(world.cluster, 'cart')
    await kubectl(['taint', 'node', node, 'crowded=yes:NoSchedule'])
    await expect
      .poll(async () => (await podOf(world.cluster, 'cart')).node, { timeout: 90_000, interval: 500 })
      .not.toBe(node)
    await kubectl(['-n', 'shop', 'rollout', 'status', 'deployment/cart', '--timeout=60s'])
    const evacuations = ['get', 'evacuations', '-n', 'shop', '-o', 'name']
    await expect.poll(() => kubectl(evacuations), { timeout: 60_000 }).toBe('')
    expect(watch.lowest()).toEqual({ cart: 1 })
    await kubectl(['taint', 'node', node, 'crowded-'])
  }

  const holderOf = (lease: string) =>
    kubectl(['get', 'lease', lease, ...inNamespace, '-o', 'jsonpath={.spec.holderIdentity}'])

  /** The accounts that have the rights of the descheduler. */
  async function boundTo(): Promise<string[]> {
    const subject = 'jsonpath={.subjects[*].name}'
    const inCluster = await kubectl(['get', 'clusterrolebinding', ofDescheduler, '-o', subject])
    return [inCluster, await kubectl(['get', 'rolebinding', ofDescheduler, ...inNamespace, '-o', subject])]
  }

  /** What only a descheduler with an account of its own has. */
  async function ofItsOwn(): Promise<string[]> {
    const shared = /^(clusterrole|role)(binding)?\.|^(configmap|lease)|^(pod|replicaset|endpoint|controllerrevision)/
    return (await named(/descheduler/)).filter((name) => !shared.test(name))
  }

  async function named(pattern: RegExp): Promise<string[]> {
    const kinds = (await kubectl(['api-resources', '--verbs=list', '-o', 'name'])).trim().split('\n')
    const kept = kinds.filter((kind) => !/^(events|apiservices)/.test(kind))
    const all = await kubectl(['get', kept.join(','), '-A', '-o', 'name', '--ignore-not-found'])
    return all
      .split('\n')
      .filter((name) => pattern.test(name))
      .toSorted()
  }
})

async function metricsOf(address: string): Promise<string> {
  return (await fetch(`http://${address}:8081/metrics`)).text()
}
