import type { Node, Pod } from '../../src/api/kubernetes/core.ts'
import { maintenanceStatusOf } from '../../src/api/maintenance/maintenance-status.ts'
import { heldLabel, intendedNodeOf, isHeld } from '../../src/api/maintenance/maintenance-hold.ts'
import {
  becomes,
  evacuate,
  evacuationsPath,
  isGone,
  isOver,
  look,
  pathOf,
  podsPath,
  priorityOf,
  stays,
  type EvacuationSeen,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import { announce, remove } from './maintenance-world.ts'
import type { PlacementSampler } from './placement-sampler.ts'
import type { StoryNeeds } from './scenario.ts'
import { arrangeNodes, merge, paths, template } from './workload-world.ts'

// KEP-4212 about DaemonSets, told to any Kubernetes with Lifeboat on it. Something that does not leave, an anchor, keeps
// a drain from going on where a story wants it to stand still.

export interface DaemonSetWorld extends EvacuationWorld {
  readonly lifeboat: LifeboatSwitch
  readonly placements: PlacementSampler
}

/** Flags that a story starts it with. */
export interface LifeboatChoices {
  readonly completeAfterReboot?: boolean
}

/** Lifeboat itself, which may be there or not. */
export interface LifeboatSwitch {
  /** As SIGKILL. */
  kill(): Promise<void>
  /** Resolves when it leads. */
  start(gatesOff?: readonly string[], choices?: LifeboatChoices): Promise<void>
  uninstall(): Promise<void>
}

export interface DaemonSetScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: DaemonSetWorld) => Promise<void>
}

export const maintenance = 'maintenance'
export const keeper = 'example.com/keeper'
const maintenanceWebhook =
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/lifeboat-admission-node-maintenances'

export async function drain(world: DaemonSetWorld, nodes: readonly string[] = ['0']): Promise<void> {
  await announce(world, maintenance, { nodes, reason: 'OS upgrade' })
}

/** During the maintenance no pod came to the node, not for a moment. */
export async function endMaintenance(world: DaemonSetWorld, node: string): Promise<void> {
  const seen = world.placements.cameTo(node)
  if (seen.length > 0) throw new Error(`during its maintenance ${seen.join()} came to ${node}`)
  world.observe('no pod came during the maintenance', true)
  await remove(world, maintenance)
}

/** The pod does not go, or goes at last. */
export async function keep(world: DaemonSetWorld, { name }: { readonly name: string }, isKept: boolean): Promise<void> {
  await world.arrange('PATCH', `${podsPath}/${name}`, { metadata: { finalizers: isKept ? [keeper] : null } }, merge)
}

/** A pod that a drain comes to before it comes to DaemonSets. */
export async function arrangeBare(world: DaemonSetWorld, node: string, annotations: object = {}): Promise<void> {
  await world.arrange('POST', podsPath, {
    metadata: { name: 'bare', namespace: 'NS', annotations },
    spec: { nodeName: node, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'bare:1' }] },
  })
}

interface DaemonChoices {
  readonly spec?: object
  readonly strategy?: object
}

function daemonSetOf(world: DaemonSetWorld, name: string, { spec, strategy }: DaemonChoices = {}): object {
  const labels = { app: name }
  const ends = { terminationGracePeriodSeconds: 1, ...spec }
  return {
    metadata: { name, namespace: 'NS' },
    spec: {
      selector: { matchLabels: labels },
      template: { ...template(world, { spec: ends, image: `${name}:1` }), metadata: { labels } },
      ...(strategy === undefined ? {} : { updateStrategy: strategy }),
    },
  }
}

export async function arrangeDaemons(world: DaemonSetWorld, name: string, choices: DaemonChoices = {}): Promise<void> {
  await world.arrange('POST', paths.daemonSets, daemonSetOf(world, name, choices))
}

/** One line a pod: `logs:1 on NS-0 runs`. Those that are going are left out. */
export async function daemonsOf(world: DaemonSetWorld): Promise<{ readonly line: string; readonly pod: Pod }[]> {
  const { body } = await world.read(podsPath)
  const pods = (body['items'] as Pod[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const lines = pods.map((pod) => ({ line: `${imageOf(pod)} on ${nodeOf(world, pod)} ${stateOf(pod)}`, pod }))
  return lines.toSorted((one, other) => (one.line < other.line ? -1 : 1))
}

const imageOf = ({ spec }: Pod) => spec?.containers[0]?.image ?? ''
const nodeOf = (world: DaemonSetWorld, pod: Pod) => (intendedNodeOf(pod) ?? 'none').replace(world.namespace, 'NS')

function stateOf(pod: Pod): string {
  const labelled = pod.metadata.labels?.[heldLabel.key] !== undefined
  const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
  const isBound = (pod.spec?.nodeName ?? '') !== ''
  if (isHeld(pod)) return labelled && !isBound ? 'is held' : 'is held in a strange way'
  if (labelled) return 'has only the label'
  return ready ? 'runs' : 'starts'
}

/** Waits until the pods are these, and notes it. */
export async function reach(world: DaemonSetWorld, what: string, expected: readonly string[]): Promise<void> {
  const wanted = expected.toSorted()
  const seen = await world.eventually(
    what,
    async () => (await daemonsOf(world)).map(({ line }) => line),
    (lines) => lines.join() === wanted.join(),
  )
  world.observe(what, seen)
}

/** Nothing of it changes for a while. */
export async function remain(world: DaemonSetWorld, what: string, milliseconds = 3_000): Promise<void> {
  const uids = async () => (await daemonsOf(world)).map(({ line, pod }) => `${line} ${pod.metadata.uid}`)
  const before = await uids()
  await world.pass(milliseconds)
  const after = await uids()
  if (after.join() !== before.join()) throw new Error(`${what}: ${before.join()} became ${after.join()}`)
  world.observe(what, true)
}

export async function daemonOn(world: DaemonSetWorld, line: string): Promise<PodKey> {
  const found = (await daemonsOf(world)).find((daemon) => daemon.line === line)
  if (found === undefined) throw new Error(`there is no pod of which ${line} is true`)
  const { name, uid } = found.pod.metadata
  return { name, uid }
}

export const isBlockedBy = (reason: string) => (seen: Parameters<Parameters<typeof becomes>[3]>[0]) =>
  seen.status.conditions?.some(
    ({ type, status, reason: why }) => type === 'Blocked' && status === 'True' && why === reason,
  ) ?? false

/** The pod of `logs` on the first of some nodes was drained, and the one that follows is held. */
async function holdLogs(world: DaemonSetWorld, count = 2, choices: DaemonChoices = {}): Promise<string> {
  const [node = ''] = await arrangeNodes(world, count)
  await arrangeDaemons(world, 'logs', choices)
  const others = Array.from({ length: count - 1 }, (_, at) => `logs:1 on NS-${at + 1} runs`)
  await reach(world, 'a pod a node', ['logs:1 on NS-0 runs', ...others])
  world.placements.reset()
  const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
  await drain(world)
  await isOver(world, pod)
  await reach(world, 'the next one is held', ['logs:1 on NS-0 is held', ...others])
  return node
}

async function setImage(world: DaemonSetWorld, image: string): Promise<void> {
  const spec = { template: { spec: { containers: [{ name: 'main', image }] } } }
  await world.arrange('PATCH', `${paths.daemonSets}/logs`, { spec }, merge)
}

/** What an eviction by a client that is no part of Lifeboat is answered with. */
async function answers(world: DaemonSetWorld, { name }: PodKey, expected: number): Promise<void> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'NS' } }
  const { status } = await world.attempt('POST', `${podsPath}/${name}/eviction`, eviction)
  if (status !== expected) throw new Error(`the eviction was answered with ${status} and not with ${expected}`)
  world.observe('the eviction was answered with', status)
}

async function underMaintenance(world: DaemonSetWorld, node: string): Promise<void> {
  await world.eventually(
    'the node says so',
    async () => (await world.read(`/api/v1/nodes/${node}`)).body as unknown as Node,
    (seen) => maintenanceStatusOf(seen).kind === 'parsed',
  )
  // What admission knows of a node may be five seconds old.
  await world.pass(6_000)
}

/** For so long a pod that came back stays, or nearly. */
export const staysMs = 100_000

const rolling = (rollingUpdate: object) => ({ type: 'RollingUpdate', rollingUpdate })

const targets: readonly DaemonSetScenario[] = [
  {
    name: '"the controller should not react to Evacuations of DaemonSet pods with a priority greater than" that of the drainTargets, and those within them leave and come back when the maintenance is over',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 2)
      await arrangeDaemons(world, 'logs')
      await arrangeDaemons(world, 'network', { spec: { priorityClassName: 'system-node-critical' } })
      const both = (at: number, state: string) => [`logs:1 on NS-${at} ${state}`, `network:1 on NS-${at} ${state}`]
      await reach(world, 'two pods a node', [...both(0, 'runs'), ...both(1, 'runs')])
      const anchor = await daemonOn(world, 'logs:1 on NS-1 runs')
      await keep(world, anchor, true)
      world.placements.reset()
      const logs = await daemonOn(world, 'logs:1 on NS-0 runs')
      const network = await daemonOn(world, 'network:1 on NS-0 runs')
      await drain(world, ['0', '1'])
      await isOver(world, logs)
      await reach(world, 'one is held', ['logs:1 on NS-0 is held', 'network:1 on NS-0 runs', 'network:1 on NS-1 runs'])
      await evacuate(world, network)
      await becomes(world, network, 'it is beyond the targets', isBlockedBy('BeyondDrainTargets'))
      await stays(world, network)
      await keep(world, anchor, false)
      await isOver(world, network)
      await reach(world, 'all are held', [...both(0, 'is held'), ...both(1, 'is held')])
      await remain(world, 'they stay away')
      await endMaintenance(world, node)
      await reach(world, 'all are back', [...both(0, 'runs'), ...both(1, 'runs')])
      world.observe('evictions', await world.evictionCalls())
    },
  },
  {
    name: '"the DaemonSet controller should respond to the Evacuation only if there is a NodeMaintenance happening on that node": one that begins later takes the pod away',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'logs')
      await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await evacuate(world, pod)
      const { spec } = await becomes(world, pod, 'no maintenance', isBlockedBy('NotUnderMaintenance'))
      world.observe('evacuators', spec.evacuators)
      await arrangeBare(world, node)
      await keep(world, { name: 'bare' }, true)
      await drain(world)
      await becomes(world, pod, 'only others leave', isBlockedBy('BeyondDrainTargets'))
      await stays(world, pod)
      await keep(world, { name: 'bare' }, false)
      await isOver(world, pod)
      await reach(world, 'the next one is held', ['logs:1 on NS-0 is held'])
    },
  },
  {
    name: 'an Evacuation that is cancelled while it waits leaves no trace on the pod',
    run: async (world) => {
      await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'logs')
      await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      const { body: before } = await world.read(`${podsPath}/${pod.name}`)
      await evacuate(world, pod)
      await becomes(world, pod, 'no maintenance', isBlockedBy('NotUnderMaintenance'))
      const { body: evacuation } = await world.read(pathOf(pod))
      const { finalizers = [] } = evacuation['metadata'] as { finalizers?: string[] }
      const kept = finalizers.filter((name) => !name.endsWith('drill.example.com'))
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: kept } }, merge)
      await isGone(world, pathOf(pod))
      const { body: after } = await world.read(`${podsPath}/${pod.name}`)
      const marks = ({ metadata }: Record<string, unknown>) => {
        const { annotations = {}, labels, ownerReferences, finalizers: held } = metadata as Pod['metadata']
        return JSON.stringify({ annotations, labels, ownerReferences, held })
      }
      world.observe('as it was', marks(after) === marks(before))
    },
  },
  {
    name: 'one that tolerates everything is held as any other, on a node that is cordoned and tainted',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'logs', { spec: { tolerations: [{ operator: 'Exists' }] } })
      await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
      const taints = [{ key: 'maintenance', value: 'now', effect: 'NoExecute' }]
      await world.arrange('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable: true, taints } }, merge)
      world.placements.reset()
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await drain(world)
      await isOver(world, pod)
      await reach(world, 'the next one is held', ['logs:1 on NS-0 is held'])
      await remain(world, 'it stays away')
      await endMaintenance(world, node)
      await reach(world, 'it is back', ['logs:1 on NS-0 runs'])
    },
  },
  {
    name: 'pods of others are not held, wherever they go',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 2)
      await arrangeDaemons(world, 'logs')
      await reach(world, 'a pod a node', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await drain(world)
      await isOver(world, pod)
      // Somebody evacuates it, and takes all the time there is.
      await arrangeBare(world, node, { [priorityOf('slow.example.com')]: '100' })
      await reach(world, 'it runs', ['bare:1 on NS-0 runs', 'logs:1 on NS-0 is held', 'logs:1 on NS-1 runs'])
    },
  },
]

const words: readonly DaemonSetScenario[] = [
  {
    name: '"expectedEvacuationFinishTime: now + terminationGracePeriodSeconds [...] is terminating the pod due to node maintenance (OS upgrade)."',
    run: async (world) => {
      await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'logs', { spec: { terminationGracePeriodSeconds: 60 } })
      await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await keep(world, pod, true)
      const beganMs = world.nowMs()
      await drain(world)
      const { status } = await world.eventually(
        'it says so',
        async () => (await look(world, pod)) ?? { status: { message: '' } as EvacuationSeen['status'] },
        ({ status: { message } }) => message.startsWith('logs is terminating'),
      )
      world.observe('message', status.message)
      const inMs = Date.parse(status.expectedEvacuationFinishTime ?? '') - beganMs
      world.observe('is expected to take a minute', inMs > 55_000 && inMs < 75_000)
      await keep(world, pod, false)
      await isOver(world, pod)
    },
  },
  {
    name: 'an autoscaler may evict a DaemonSet pod from a node without maintenance; on a node under maintenance the eviction becomes an evacuation, which waits for the turn of the pod',
    run: async (world) => {
      const [node = ''] = await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'logs')
      await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
      const first = await daemonOn(world, 'logs:1 on NS-0 runs')
      await answers(world, first, 201)
      await world.eventually(
        'it goes',
        () => world.read(`${podsPath}/${first.name}`),
        ({ status }) => status === 404,
      )
      await reach(world, 'its DaemonSet creates the next one', ['logs:1 on NS-0 runs'])
      await arrangeBare(world, node)
      await keep(world, { name: 'bare' }, true)
      await drain(world)
      await underMaintenance(world, node)
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await answers(world, pod, 429)
      await becomes(world, pod, 'only others leave', isBlockedBy('BeyondDrainTargets'))
      await stays(world, pod)
      await keep(world, { name: 'bare' }, false)
      await isOver(world, pod)
      await reach(world, 'the next one is held', ['logs:1 on NS-0 is held'])
    },
  },
]

const rollouts: readonly DaemonSetScenario[] = [
  {
    name: 'a rollout while a pod is held: the held one gets the newest template and stays held, others go on as far as maxUnavailable allows, all are new in the end',
    run: async (world) => {
      const node = await holdLogs(world, 3, { strategy: rolling({ maxUnavailable: 1 }) })
      await setImage(world, 'logs:2')
      const old = ['logs:1 on NS-1 runs', 'logs:1 on NS-2 runs']
      await reach(world, 'the held one is new', ['logs:2 on NS-0 is held', ...old])
      await remain(world, 'the others wait for it')
      await setImage(world, 'logs:3')
      await reach(world, 'the held one is newer', ['logs:3 on NS-0 is held', ...old])
      await endMaintenance(world, node)
      await reach(
        world,
        'all are new',
        [0, 1, 2].map((at) => `logs:3 on NS-${at} runs`),
      )
    },
  },
  {
    name: 'a rollout that may take two down at once goes on beside the held pod',
    run: async (world) => {
      const node = await holdLogs(world, 3, { strategy: rolling({ maxUnavailable: 2 }) })
      await setImage(world, 'logs:2')
      const others = ['logs:2 on NS-1 runs', 'logs:2 on NS-2 runs']
      await reach(world, 'the others are new', ['logs:2 on NS-0 is held', ...others])
      await remain(world, 'it stays held')
      await endMaintenance(world, node)
      await reach(world, 'all are new', ['logs:2 on NS-0 runs', ...others])
    },
  },
  {
    name: 'a rollout by surge goes on beside the held pod, which is new too and stays held',
    run: async (world) => {
      const node = await holdLogs(world, 3, { strategy: rolling({ maxUnavailable: 0, maxSurge: 1 }) })
      await setImage(world, 'logs:2')
      const others = ['logs:2 on NS-1 runs', 'logs:2 on NS-2 runs']
      await world.eventually(
        'the others are new',
        async () => (await daemonsOf(world)).map(({ line }) => line),
        (lines) => others.every((line) => lines.includes(line)) && !lines.some((line) => /logs:1 .* runs/.test(line)),
      )
      await endMaintenance(world, node)
      await reach(world, 'all are new', ['logs:2 on NS-0 runs', ...others])
    },
  },
  {
    name: 'a DaemonSet that is deleted takes its held pod along',
    run: async (world) => {
      const node = await holdLogs(world)
      await world.arrange('DELETE', `${paths.daemonSets}/logs`)
      await reach(world, 'no pod is left', [])
      await endMaintenance(world, node)
      await remain(world, 'none comes back')
    },
  },
  {
    name: 'a held pod whose label a user takes off is found again, and comes back when the maintenance is over',
    run: async (world) => {
      const node = await holdLogs(world)
      const { name } = await daemonOn(world, 'logs:1 on NS-0 is held')
      const labels = { 'nodemaintenance.k8s.io/held': null }
      await world.arrange('PATCH', `${podsPath}/${name}`, { metadata: { labels } }, merge)
      await reach(world, 'it is marked as held again', ['logs:1 on NS-0 is held', 'logs:1 on NS-1 runs'])
      await endMaintenance(world, node)
      await reach(world, 'it is back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
    },
  },
  {
    name: 'a node that is deleted takes its held pod along',
    run: async (world) => {
      const node = await holdLogs(world)
      await world.arrange('DELETE', `/api/v1/nodes/${node}`)
      await reach(world, 'only the other is left', ['logs:1 on NS-1 runs'])
    },
  },
]

const restarts: readonly DaemonSetScenario[] = [
  {
    name: 'a maintenance that ended while Lifeboat was down lets its pods back when Lifeboat is up',
    ownCluster: true,
    run: async (world) => {
      const node = await holdLogs(world)
      await world.lifeboat.kill()
      // What a crash leaves behind refuses writes by others; an admin who cannot wait takes it out.
      await world.arrange('DELETE', maintenanceWebhook)
      await endMaintenance(world, node)
      await remain(world, 'nobody lets it go')
      await world.lifeboat.start()
      await reach(world, 'it is back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
    },
  },
  {
    name: 'a held pod whose label a user takes off while Lifeboat is down is found again, and comes back when the maintenance is over',
    ownCluster: true,
    run: async (world) => {
      const node = await holdLogs(world)
      await world.lifeboat.kill()
      const { name } = await daemonOn(world, 'logs:1 on NS-0 is held')
      const labels = { 'nodemaintenance.k8s.io/held': null }
      await world.arrange('PATCH', `${podsPath}/${name}`, { metadata: { labels } }, merge)
      await reach(world, 'only its gate holds it', ['logs:1 on NS-0 is held in a strange way', 'logs:1 on NS-1 runs'])
      await world.lifeboat.start()
      await reach(world, 'it is marked as held again', ['logs:1 on NS-0 is held', 'logs:1 on NS-1 runs'])
      await endMaintenance(world, node)
      await reach(world, 'it is back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
    },
  },
  {
    name: 'a maintenance that goes on while Lifeboat was down still holds its pods, and one that came back is evacuated again',
    ownCluster: true,
    run: async (world) => {
      const node = await holdLogs(world)
      await world.lifeboat.kill()
      const held = await daemonOn(world, 'logs:1 on NS-0 is held')
      await world.arrange('DELETE', `${podsPath}/${held.name}`)
      await reach(world, 'it came back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await world.lifeboat.start()
      await becomes(world, pod, 'it may be that it cannot be held', isBlockedBy('CameBackUnheld'))
      await world.pass(staysMs)
      await isOver(world, pod)
      await reach(world, 'the next one is held', ['logs:1 on NS-0 is held', 'logs:1 on NS-1 runs'])
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await remain(world, 'it is still held')
      world.observe('came while Lifeboat was down', world.placements.cameTo(node))
      await remove(world, maintenance)
      await reach(world, 'it is back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
    },
  },
  {
    name: 'with the gate NodeMaintenanceAwareDaemonSet off no pod is held, claimed, or left held from before',
    ownCluster: true,
    run: async (world) => {
      await holdLogs(world)
      await world.lifeboat.kill()
      await world.lifeboat.start(['NodeMaintenanceAwareDaemonSet'])
      await reach(world, 'it is back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await evacuate(world, pod)
      const { spec } = await becomes(world, pod, 'nobody may evict it', isBlockedBy('NotEvictable'))
      world.observe('evacuators', spec.evacuators ?? [])
      await stays(world, pod)
      await world.arrange('DELETE', `${podsPath}/${pod.name}`)
      await isGone(world, pathOf(pod))
      await reach(world, 'the next one runs at once', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
      await world.lifeboat.kill()
      await world.lifeboat.start()
    },
  },
  {
    name: 'with the gate NodeMaintenanceAwareDaemonSet off in the middle the Evacuation of a DaemonSet pod is withdrawn, and its evacuator holds it no longer',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 1)
      await arrangeDaemons(world, 'logs')
      await reach(world, 'it runs', ['logs:1 on NS-0 runs'])
      const pod = await daemonOn(world, 'logs:1 on NS-0 runs')
      await keep(world, pod, true)
      await drain(world)
      await world.eventually(
        'it is on its way',
        () => look(world, pod),
        (seen) => seen?.status.message.startsWith('logs is terminating') === true,
      )
      await world.lifeboat.kill()
      await world.lifeboat.start(['NodeMaintenanceAwareDaemonSet'])
      await isGone(world, pathOf(pod))
      await keep(world, pod, false)
      await reach(world, 'the next one is not held', ['logs:1 on NS-0 runs'])
      await world.lifeboat.kill()
      await world.lifeboat.start()
    },
  },
  {
    name: 'uninstalled, Lifeboat leaves no pod held',
    ownCluster: true,
    run: async (world) => {
      await holdLogs(world)
      await world.lifeboat.kill()
      await world.lifeboat.uninstall()
      await reach(world, 'it is back', ['logs:1 on NS-0 runs', 'logs:1 on NS-1 runs'])
      const { status } = await world.read(evacuationsPath)
      world.observe('Evacuations are unknown', status)
      await world.lifeboat.start()
    },
  },
]

export const daemonSetScenarios: readonly DaemonSetScenario[] = [...targets, ...words, ...rollouts, ...restarts]
