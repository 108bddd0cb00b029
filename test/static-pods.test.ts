import { describe, expect, test } from 'vitest'
import { mailboxNameOf, wantedOf } from '../src/api/maintenance/agent-mailbox.ts'
import { blockerOf } from '../src/api/blocker/blocked-by.ts'
import { evacuations } from '../src/api/evacuation/evacuation.ts'
import { daemonSets, leases, namespaces, nodes, pods, priorityClasses } from '../src/api/kubernetes/resources.ts'
import { nodeMaintenances } from '../src/api/maintenance/node-maintenance.ts'
import { podRefOf } from '../src/api/evacuation/pod-reference.ts'
import { installation } from '../src/manager/install/installation-names.ts'
import { kubeletFolder, type PlayedFolder } from '../src/cli/demo/played-folder.ts'
import { uninstall } from '../src/manager/install/uninstall.ts'
import { openLifeboatGround, type LifeboatGround } from './build/lifeboat.ts'
import { maintain, selectNodes, setStage } from './build/maintenance.ts'
import { manifestOf } from './build/memory-folder.ts'
import { startNodeAgent } from './build/node-agent.ts'
import { evacuate } from './scenarios/why-situations.ts'

// What KEP-4212 says of the kubelet and static pods, sentence by sentence, on a whole Lifeboat in virtual time with an
// agent on the node. The folder of manifests is played; the embedded kubelet runs what is visible in it.

const namespace = 'shop'
const critical = { low: 1_000, middle: 7_000, high: 9_000 }
type Class = keyof typeof critical
const all = 2_147_483_647

async function open(choices: { readonly nodes?: number } = {}) {
  const ground = await openLifeboatGround({ nodes: choices.nodes ?? 1 })
  await ground.until(ground.admin.create(namespaces, { metadata: { name: namespace } }))
  for (const [name, value] of Object.entries(critical)) {
    await ground.until(ground.admin.create(priorityClasses, { metadata: { name }, value }))
  }
  const folder = kubeletFolder({ kube: ground.admin }, 'node-1')
  const write = (name: string, priority?: Class) =>
    ground.until(folder.write(`${name}.yaml`, staticManifest(name, priority)))
  const opened = await ground.open()
  return { ground, folder, write, opened }
}

/** The same with static pods, of these priorities, that run, and with an agent on their node. */
async function openWith(statics: Readonly<Record<string, Class | undefined>>) {
  const { write, ...world } = await open()
  for (const [name, priority] of Object.entries(statics)) await write(name, priority)
  const agent = await startNodeAgent(world.ground, 'node-1', { manifests: world.folder })
  await world.ground.pass(3_000)
  return { ...world, agent }
}

function staticManifest(name: string, priorityClassName: Class | undefined): string {
  const manifest = JSON.parse(manifestOf(name, { namespace })) as { spec: object }
  const priority = priorityClassName === undefined ? {} : { priorityClassName }
  return JSON.stringify({ ...manifest, spec: { ...manifest.spec, terminationGracePeriodSeconds: 20, ...priority } })
}

const podsOf = (ground: LifeboatGround) =>
  ground.cluster.store
    .list('pods')
    .filter(({ metadata }) => metadata.namespace === namespace)
    .map(({ metadata }) => metadata.name)
    .toSorted()

const messageOf = async (ground: LifeboatGround, name = 'os-upgrade') =>
  (await ground.until(ground.admin.get(nodeMaintenances, { name }))).status?.drainStatus?.drainMessage

async function reach(ground: LifeboatGround, what: string, isThere: () => Promise<boolean> | boolean): Promise<void> {
  for (let looks = 0; looks < 600; looks++) {
    if (await isThere()) return
    await ground.pass(500)
  }
  throw new Error(`never: ${what}; there are ${podsOf(ground).join(', ')}; ${await messageOf(ground)}`)
}

const evacuationOf = async (ground: LifeboatGround, name: string) => {
  const { items } = await ground.until(ground.admin.list(evacuations, { namespace }))
  return items.find(({ spec }) => spec.podRef.name === name)
}

const mirror = (ground: LifeboatGround, name: string) => ground.until(ground.admin.get(pods, { namespace, name }))

const wanted = async (ground: LifeboatGround) => {
  const key = { namespace: installation.namespace, name: mailboxNameOf('node-1') }
  return wantedOf(await ground.until(ground.admin.get(leases, key)))?.park.map(({ pod }) => pod)
}

/** Static pods up to a priority leave after all others. */
const planUpTo = (podPriority: number) => [
  { podPriority: all, podType: 'Default' as const },
  { podPriority: all, podType: 'DaemonSet' as const },
  { podPriority, podType: 'Static' as const },
]

const visible = (folder: PlayedFolder) => folder.visible().length

describe('KEP-4212, static pods', () => {
  test('S1: an Evacuation of a static pod is passed over while no NodeMaintenance is on its node', async () => {
    const { ground, folder } = await openWith({ proxy: undefined })
    await using _ground = ground
    await evacuate(ground, podRefOf(await mirror(ground, 'proxy-node-1')))
    await ground.pass(60_000)
    const evacuation = await evacuationOf(ground, 'proxy-node-1')
    expect(evacuation && blockerOf(evacuation)).toMatchObject({ kind: 'notUnderMaintenance', podType: 'Static' })
    expect(evacuation?.status?.activeEvacuatorCompleted).toBe(false)
    expect(visible(folder)).toBe(1)
  })

  test('S2: the kubelet is its controller evacuator, of priority 10000, and the mirror says so', async () => {
    const { ground } = await openWith({ proxy: undefined })
    await using _ground = ground
    await evacuate(ground, podRefOf(await mirror(ground, 'proxy-node-1')))
    await ground.pass(5_000)
    const evacuation = await evacuationOf(ground, 'proxy-node-1')
    expect(evacuation?.spec.evacuators).toEqual([
      { evacuatorClass: 'kubelet.k8s.io', priority: 10_000, role: 'controller' },
    ])
    expect(evacuation?.status?.activeEvacuatorClass).toBe('kubelet.k8s.io')
    expect((await mirror(ground, 'proxy-node-1')).metadata.annotations).toMatchObject({
      'evacuation.coordination.k8s.io/priority_kubelet.k8s.io': '10000/controller',
    })
  })

  test('S3: it acts when its class is the active one, and not before', async () => {
    const { ground, folder } = await openWith({ proxy: undefined })
    await using _ground = ground
    const annotations = { 'evacuation.coordination.k8s.io/priority_backup.example.com': '15000' }
    const patch = { type: 'merge', body: { metadata: { annotations } } } as const
    await ground.until(ground.admin.patch(pods, { namespace, name: 'proxy-node-1' }, patch))
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), {})
    await ground.pass(60_000)
    expect((await evacuationOf(ground, 'proxy-node-1'))?.status?.activeEvacuatorClass).toBe('backup.example.com')
    expect(visible(folder)).toBe(1)
  })

  test('S4: beyond the targets it neither acts nor says that it is done', async () => {
    const { ground, folder } = await openWith({ 'etcd-like': 'high' })
    await using _ground = ground
    await ground.until(
      ground.admin.create(pods, {
        metadata: { namespace, name: 'keeps', finalizers: ['example.com/keeper'] },
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'keeps:1' }] },
      }),
    )
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), { drainPlan: planUpTo(critical.middle) })
    await ground.pass(3_000)
    await evacuate(ground, podRefOf(await mirror(ground, 'etcd-like-node-1')))
    await ground.pass(60_000)
    const evacuation = await evacuationOf(ground, 'etcd-like-node-1')
    expect(evacuation && blockerOf(evacuation)).toMatchObject({ kind: 'beyondDrainTargets', podType: 'Static' })
    expect(evacuation?.status?.activeEvacuatorCompleted).toBe(false)
    expect(visible(folder)).toBe(1)
  })

  test('S5: within the targets it reports progress, the end of the grace period and the words of the KEP', async () => {
    const { ground } = await openWith({ critical: 'low' })
    await using _ground = ground
    const slow = { metadata: { annotations: { 'lifeboat.test/terminate-after': '10s' } } }
    await ground.until(ground.admin.patch(pods, { namespace, name: 'critical-node-1' }, { type: 'merge', body: slow }))
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), { reason: 'OS upgrade' })
    await reach(ground, 'asked for', async () => ((await wanted(ground)) ?? []).length > 0)
    const status = (await evacuationOf(ground, 'critical-node-1'))?.status
    expect(status).toMatchObject({
      activeEvacuatorClass: 'kubelet.k8s.io',
      activeEvacuatorCompleted: false,
      message: 'critical-node-1 is terminating the pod due to node maintenance (OS upgrade).',
    })
    const progressMs = Date.parse(status?.evacuationProgressTimestamp ?? '')
    expect(Date.parse(status?.expectedEvacuationFinishTime ?? '') - progressMs).toBe(20_000)
    await reach(ground, 'terminated', () => podsOf(ground).length === 0)
  })

  test('S6: it is not started again until Complete, whatever restarts, and then it is back', async () => {
    const { ground, folder, opened, agent } = await openWith({ proxy: undefined })
    await using _ground = ground
    const before = folder.contents()
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), {})
    await reach(ground, 'drained', async () => (await messageOf(ground)) === 'Drained (the node agent stays)')
    expect(podsOf(ground)).toEqual([])
    await agent.kill()
    opened.kill()
    await ground.pass(60_000)
    await ground.open({ identity: 'second' })
    await ground.pass(60_000)
    const next = await startNodeAgent(ground, 'node-1', { manifests: folder, bootID: 'second', name: 'agent-b' })
    await ground.pass(120_000)
    expect(podsOf(ground)).toEqual([])
    await setStage(ground, 'os-upgrade', 'Complete')
    await reach(ground, 'back', () => podsOf(ground).includes('proxy-node-1'))
    expect(folder.contents()).toEqual(before)
    expect(await wanted(ground)).toEqual([])
    await next.kill()
  })

  test('S7: static pods leave last, by ascending priority', async () => {
    const { ground } = await openWith({ 'a-high': 'high', 'b-low': 'low', 'c-middle': 'middle' })
    await using _ground = ground
    const template = {
      metadata: { labels: { app: 'logs' } },
      spec: { containers: [{ name: 'main', image: 'logs:1' }] },
    }
    const spec = { selector: { matchLabels: { app: 'logs' } }, template }
    await ground.until(ground.admin.create(daemonSets, { metadata: { name: 'logs', namespace }, spec }))
    await ground.until(
      ground.admin.create(pods, {
        metadata: { namespace, name: 'web' },
        spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'web:1' }] },
      }),
    )
    await ground.pass(5_000)
    const left: string[] = []
    using _watch = watchDepartures(ground, left)
    const drainPlan = [
      ...planUpTo(critical.low),
      { podPriority: critical.middle, podType: 'Static' as const },
      { podPriority: all, podType: 'Static' as const },
    ]
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), { drainPlan })
    await reach(ground, 'drained', async () => (await messageOf(ground)) === 'Drained (the node agent stays)')
    expect(left.map((name) => name.replace(/^logs-.*/, 'logs'))).toEqual([
      'web',
      'logs',
      'b-low-node-1',
      'c-middle-node-1',
      'a-high-node-1',
    ])
  })
})

/** The names of pods of the namespace in the order in which they went from node-1. */
function watchDepartures(ground: LifeboatGround, left: string[]): Disposable {
  const seen = new Set<string>()
  const stop = { isOver: false }
  const look = () => {
    if (stop.isOver) return
    const here = ground.cluster.store
      .list('pods')
      .filter(({ metadata, ...pod }) => metadata.namespace === namespace && nodeOf(pod) === 'node-1')
      .map(({ metadata }) => metadata.name)
    for (const name of seen) if (!here.includes(name)) left.push(name)
    seen.clear()
    for (const name of here) seen.add(name)
    ground.clock.timer(100, look)
  }
  look()
  return { [Symbol.dispose]: () => void (stop.isOver = true) }
}

const nodeOf = (pod: object) => (pod as { spec?: { nodeName?: string } }).spec?.nodeName

describe('a drain with parked static pods', () => {
  test('whose agent dies goes on when there is one again, and says meanwhile what is missing', async () => {
    const { ground, folder, agent } = await openWith({ a: 'low', b: 'high' })
    await using _ground = ground
    const drainPlan = [...planUpTo(critical.low), { podPriority: all, podType: 'Static' as const }]
    await ground.until(
      ground.admin.patch(
        pods,
        { namespace, name: 'a-node-1' },
        { type: 'merge', body: { metadata: { finalizers: ['example.com/keeper'] } } },
      ),
    )
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), { drainPlan })
    await reach(ground, 'one is parked', () => visible(folder) === 1)
    await agent.kill()
    await ground.until(
      ground.admin.patch(
        pods,
        { namespace, name: 'a-node-1' },
        { type: 'merge', body: { metadata: { finalizers: null } } },
      ),
    )
    await reach(ground, 'says what is missing', async () => {
      const evacuation = await evacuationOf(ground, 'b-node-1')
      return evacuation !== undefined && blockerOf(evacuation)?.kind === 'noAgent'
    })
    expect(podsOf(ground)).toEqual(['b-node-1'])
    await startNodeAgent(ground, 'node-1', { manifests: folder, name: 'agent-b' })
    await reach(ground, 'drained', async () => (await messageOf(ground)) === 'Drained (the node agent stays)')
    await setStage(ground, 'os-upgrade', 'Complete')
    await reach(ground, 'back', () => podsOf(ground).length === 2)
  })

  test('whose mailbox somebody deletes forgets nothing', async () => {
    const { ground, folder } = await openWith({ proxy: undefined })
    await using _ground = ground
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), {})
    await reach(ground, 'parked', () => visible(folder) === 0)
    await ground.until(
      ground.admin.delete(leases, { namespace: installation.namespace, name: mailboxNameOf('node-1') }),
    )
    await ground.pass(60_000)
    expect(visible(folder)).toBe(0)
    expect(await wanted(ground)).toEqual(['shop/proxy-node-1'])
    await setStage(ground, 'os-upgrade', 'Complete')
    await reach(ground, 'back', () => podsOf(ground).includes('proxy-node-1'))
  })

  test('with the gate NodeMaintenanceAwareKubelet off from then on, all of them come back', async () => {
    const { ground, folder, opened } = await openWith({ proxy: undefined })
    await using _ground = ground
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), {})
    await reach(ground, 'parked', () => visible(folder) === 0)
    opened.kill()
    await ground.pass(60_000)
    await ground.open({ identity: 'second', gates: { NodeMaintenanceAwareKubelet: false } })
    await reach(ground, 'back', () => podsOf(ground).includes('proxy-node-1'))
    await reach(ground, 'says so', async () =>
      ((await messageOf(ground)) ?? '').startsWith('Drained (1 static pod and the node agent stay)'),
    )
  })

  test('that Lifeboat is uninstalled from half way: all of them come back first', async () => {
    const { ground, folder, opened } = await openWith({ proxy: undefined })
    await using _ground = ground
    await maintain(ground, 'os-upgrade', selectNodes('node-1'), {})
    await reach(ground, 'parked', () => visible(folder) === 0)
    await ground.stop(opened)
    const lines: string[] = []
    const options = { namespace: installation.namespace, force: true, print: (line: string) => void lines.push(line) }
    await ground.until(uninstall({ kube: ground.admin, clock: ground.clock }, options), 300_000)
    expect(visible(folder)).toBe(1)
    expect(lines).toContain('let 1 static pod come back')
  })

  test('a node that is deleted takes its mailbox along', async () => {
    const { ground, folder } = await open({ nodes: 2 })
    await using _ground = ground
    const agent = await startNodeAgent(ground, 'node-1', { manifests: folder })
    await ground.pass(3_000)
    await agent.kill()
    await ground.until(ground.admin.delete(nodes, { name: 'node-1' }))
    await ground.pass(10_000)
    expect(ground.cluster.store.list('leases.coordination.k8s.io').map(({ metadata }) => metadata.name)).not.toContain(
      mailboxNameOf('node-1'),
    )
  })
})
