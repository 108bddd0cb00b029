import type { Node } from '../../src/api/kubernetes/core.ts'
import { unhealthySince } from '../../src/api/maintenance/unhealthy-node.ts'
import type { EvacuationWorld } from './lifeboat-world.ts'
import type { PodDiary, PodEntry } from './pod-diary.ts'
import type { StoryNeeds } from './scenario.ts'
import { fallSilent, reportAgain, reportTrouble } from './troubled-nodes.ts'
import { arrangeNodes, isReady, merge, paths, podsOf, strategic, template, type PodSeen } from './workload-world.ts'

// Pod Evict Policy for nodes that do not report, told to any Kubernetes with Lifeboat on it. Heartbeats really run out.

export interface UnhealthyWorld extends EvacuationWorld {
  readonly diary: PodDiary
}

export interface UnhealthyScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: UnhealthyWorld) => Promise<void>
}

/** How long the pods of these stories tolerate it, before their controllers get time. */
const toleratedSeconds = 8
const defaultTimeoutSeconds = 60
/** Times in Kubernetes are whole seconds, and somebody has to act. */
const lateMs = 5_000
const earlyMs = 1_000

export const tolerating = (seconds: number) =>
  ['not-ready', 'unreachable'].map((key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
    effect: 'NoExecute',
    tolerationSeconds: seconds,
  }))

export interface SetChoices {
  readonly name?: string
  readonly kind?: 'ReplicaSet' | 'Deployment'
  readonly replicas?: number
  readonly strategy?: string
  readonly timeout?: string
  /** For how long they tolerate it. */
  readonly seconds?: number
  /** Where its pods may be; everywhere if left out. */
  readonly node?: string
}

/** Nodes of a zone of their own, of which so many are open to pods: what happens elsewhere must not matter here. */
export async function arrangeZone(world: UnhealthyWorld, { open, more }: { open: number; more: number }) {
  const zone = { 'topology.kubernetes.io/zone': world.namespace }
  const labels = { scenario: world.namespace, ...zone }
  const nodes = await arrangeNodes(world, open + more, () => ({ labels }))
  for (const node of nodes.slice(open)) await setUnschedulable(world, node, true)
  return nodes
}

async function setUnschedulable(world: UnhealthyWorld, node: string, unschedulable: boolean): Promise<void> {
  await world.arrange('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable } }, merge)
}

/** Pods whose controller takes over, all of them ready on the nodes that are open; then the other nodes open, too. */
export async function arrangeSet(world: UnhealthyWorld, choices: SetChoices = {}): Promise<readonly PodSeen[]> {
  const { name = 'web', kind = 'ReplicaSet', replicas = 3, strategy, timeout } = choices
  const annotations = {
    'kubernetes.io/evict-policy': 'ControllerTakeOver',
    'lifeboat.test/ready-after': '1s',
    ...(timeout === undefined ? {} : { 'kubernetes.io/evict-timeout': timeout }),
  }
  const labels = { app: name }
  const on = choices.node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': choices.node } }
  const { metadata, spec } = template(world, {
    annotations,
    spec: { terminationGracePeriodSeconds: 1, tolerations: tolerating(choices.seconds ?? toleratedSeconds), ...on },
  }) as { metadata: object; spec: object }
  await world.arrange('POST', kind === 'ReplicaSet' ? paths.replicaSets : paths.deployments, {
    metadata: {
      name,
      namespace: 'NS',
      annotations: strategy === undefined ? {} : { 'kubernetes.io/evict-strategy': strategy },
    },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { ...metadata, labels }, spec } },
  })
  return world.eventually(
    `${replicas} pods of ${name} are ready`,
    async () => (await podsOf(world)).filter(({ metadata: { labels: has } }) => has?.['app'] === name),
    (pods) => pods.length === replicas && pods.every(isReady),
  )
}

/**
 * Ready to begin: the other nodes open too. On each node that will fall silent there is a pod without the policy for each
 * of these times: it goes when Kubernetes itself, which may be late, thinks that the time is over.
 */
export async function openAll(
  world: UnhealthyWorld,
  nodes: readonly string[],
  controls: Readonly<Record<string, readonly number[]>> = {},
): Promise<void> {
  for (const node of nodes) await setUnschedulable(world, node, false)
  for (const [node, times] of Object.entries(controls)) {
    for (const seconds of times) {
      await world.arrange('POST', paths.pods, {
        metadata: { name: controlOf(node, seconds), namespace: 'NS', labels: { app: 'control' } },
        spec: {
          nodeName: node,
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'main', image: 'web:1' }],
          tolerations: tolerating(seconds),
        },
      })
    }
  }
  world.diary.begin()
}

const controlOf = (node: string, seconds: number) => `control-${seconds}-${node}`

/** When Kubernetes deleted a pod without the policy that tolerated the taint of this node for so long. */
async function kubernetesActedAt(world: UnhealthyWorld, node: string, seconds: number): Promise<number> {
  const found = () => [...world.diary.pods.values()].find(({ name }) => name === controlOf(node, seconds))
  const entry = await world.eventually(
    `${controlOf(node, seconds)} is deleted`,
    async () => found(),
    (control) => control?.deletedAtMs !== undefined,
  )
  return entry?.deletedAtMs ?? 0
}

/** Without those that show when Kubernetes acts. */
async function appPods(world: UnhealthyWorld): Promise<PodSeen[]> {
  return (await podsOf(world)).filter(({ metadata }) => metadata.labels?.['app'] !== 'control')
}

/** Since when Kubernetes has it that the node does not report; later than `afterMs`. */
export async function isTainted(world: UnhealthyWorld, node: string, afterMs = 0): Promise<number> {
  const { body } = await world.eventually(
    `${node} is tainted`,
    () => world.read(`/api/v1/nodes/${node}`),
    ({ body: found }) => Date.parse(unhealthySince(found as unknown as Node)[0]?.since ?? '') > afterMs,
  )
  return Date.parse(unhealthySince(body as unknown as Node)[0]?.since ?? '')
}

export const entryOf = ({ diary }: UnhealthyWorld, { metadata }: PodSeen): PodEntry => {
  const entry = diary.pods.get(metadata.uid)
  if (entry === undefined) throw new Error(`no pod ${metadata.name} was seen`)
  return entry
}

/** On which node, since when it has its taint, and for how long its pods tolerate that. */
export interface Due {
  readonly node: string
  readonly sinceMs: number
  readonly seconds: number
}

/** Every pod was marked when it was due, and not after Kubernetes would have deleted it. */
export async function areMarked(world: UnhealthyWorld, pods: readonly PodSeen[], due: Due): Promise<void> {
  const entries = await world.eventually(
    'all pods are marked',
    async () => pods.map((pod) => entryOf(world, pod)),
    (found) => found.every(({ markedAtMs }) => markedAtMs !== undefined),
  )
  const actedMs = await kubernetesActedAt(world, due.node, due.seconds)
  // A node that reports once more by chance has a new taint by the time that somebody looks.
  const [fromMs, toMs] = [Math.min(due.sinceMs + due.seconds * 1_000, actedMs), actedMs]
  const isInTime = ({ markedAtMs = 0 }: PodEntry) => markedAtMs >= fromMs - earlyMs && markedAtMs <= toMs + lateMs
  const offsets = entries.map(({ markedAtMs = 0 }) => markedAtMs - fromMs)
  if (!entries.every(isInTime))
    throw new Error(
      `marked ${offsets.join(', ')} ms after they were due, Kubernetes acted ${toMs - fromMs} ms after it`,
    )
}

/** The same for the pods of each of these nodes, by the taint of its own node. */
async function areMarkedOnEach(world: UnhealthyWorld, pods: readonly PodSeen[], nodes: readonly string[]) {
  for (const node of nodes) {
    const due = { node, sinceMs: await isTainted(world, node), seconds: toleratedSeconds }
    const there = pods.filter(({ spec }) => spec.nodeName === node)
    await areMarked(world, there, due)
  }
}

export async function areReplaced(world: UnhealthyWorld, dead: readonly string[], replicas: number): Promise<void> {
  const isDead = ({ spec }: PodSeen) => dead.includes(spec.nodeName ?? '')
  const left = await world.eventually(
    'all pods are replaced',
    () => appPods(world),
    (pods) =>
      pods.filter(isReady).length === replicas &&
      pods.every((pod) => (isDead(pod) ? pod.metadata.deletionTimestamp !== undefined : isReady(pod))),
  )
  world.observe('ready elsewhere', left.filter(isReady).length)
  const kubernetes = [...world.diary.pods.values()].filter(
    ({ name, deletedAtMs, byTaint }) => !name.startsWith('control-') && deletedAtMs !== undefined && byTaint,
  )
  if (kubernetes.length > 0) throw new Error(`deleted by Kubernetes: ${JSON.stringify(kubernetes)}`)
}

export function areInProgress(world: UnhealthyWorld, replicas: number, most: number): void {
  const seen = world.diary.inProgressMax(replicas)
  if (seen > most) throw new Error(`${seen} were in eviction progress, and ${most} may be`)
  world.observe('in eviction progress at most', seen)
}

/** The node is back: what terminates ends, and neither pods nor nodes say anything of Lifeboat any more. */
export async function nothingIsLeft(world: UnhealthyWorld, nodes: readonly string[], replicas: number): Promise<void> {
  await world.eventually(
    `${replicas} pods are ready, and no other is there`,
    () => appPods(world),
    (pods) => pods.length === replicas && pods.every(isReady),
  )
  const left = await world.eventually(
    'nothing is left',
    async () => {
      const { body } = await world.read('/apis/evacuation.coordination.k8s.io/v1alpha1/namespaces/NS/evacuations')
      const found = await Promise.all(nodes.map((node) => world.read(`/api/v1/nodes/${node}`)))
      const noted = found.filter(({ body: node }) => JSON.stringify(node).includes('coordination.k8s.io/unhealthy'))
      const marked = (await podsOf(world)).filter((pod) => JSON.stringify(pod).includes('pod-evict-wanted'))
      return { evacuations: (body['items'] as unknown[]).length, noted: noted.length, marked: marked.length }
    },
    ({ evacuations, noted, marked }) => evacuations + noted + marked === 0,
  )
  world.observe('left', left)
}

interface Pace {
  readonly name: string
  readonly set: SetChoices
  readonly nodes: number
  readonly most: number
}

const paces: readonly Pace[] = [
  { name: 'three pods of a ReplicaSet on a dead node leave one at a time', set: {}, nodes: 1, most: 1 },
  {
    name: 'four pods with 50 % leave two at a time',
    set: { replicas: 4, strategy: '{"maxUnavailable":"50%"}' },
    nodes: 1,
    most: 2,
  },
  { name: 'pods on two dead nodes leave one at a time', set: { replicas: 4 }, nodes: 2, most: 1 },
  { name: 'pods of a Deployment leave one at a time, and no faster', set: { kind: 'Deployment' }, nodes: 1, most: 1 },
]

const inTime: readonly UnhealthyScenario[] = [
  {
    name: 'not-ready that becomes unreachable counts from the first',
    run: async (world) => {
      const [node = '', ...others] = await arrangeZone(world, { open: 1, more: 3 })
      const pods = await arrangeSet(world, { replicas: 2, seconds: 75, strategy: '{"maxUnavailable":1}' })
      await openAll(world, others, { [node]: [75] })
      await reportTrouble(world, node)
      const sinceMs = await isTainted(world, node)
      await fallSilent(world, node)
      await areMarked(world, pods, { node, sinceMs, seconds: 75 })
      world.observe('marked when due', pods.length)
      const laterMs = await isTainted(world, node)
      if (laterMs <= sinceMs) throw new Error('the node did not become unreachable')
      await areReplaced(world, [node], 2)
      areInProgress(world, 2, 1)
    },
  },
  {
    name: 'five nodes of a zone die at once: each pod is marked when it is due by the taint of its own node',
    run: async (world) => {
      const nodes = await arrangeZone(world, { open: 5, more: 7 })
      const [dead, others] = [nodes.slice(0, 5), nodes.slice(5)]
      const pods = await arrangeSet(world, { replicas: 10, strategy: '{"maxUnavailable":10}' })
      await openAll(world, others, Object.fromEntries(dead.map((node) => [node, [toleratedSeconds]])))
      for (const node of dead) await fallSilent(world, node)
      await areMarkedOnEach(world, pods, dead)
      world.observe('marked when due', pods.length)
      await areReplaced(world, dead, 10)
    },
  },
  ...[
    { timeout: undefined, timeoutSeconds: defaultTimeoutSeconds },
    { timeout: '12s', timeoutSeconds: 12 },
  ].map(({ timeout, timeoutSeconds }) => ({
    name: `a controller that never acts: Kubernetes deletes the pods after their own time and ${timeoutSeconds} s`,
    run: async (world: UnhealthyWorld) => {
      const [node = '', ...others] = await arrangeZone(world, { open: 1, more: 3 })
      const pods = await arrangeSet(world, timeout === undefined ? {} : { timeout })
      const [seconds, untilSeconds] = [toleratedSeconds, toleratedSeconds + timeoutSeconds]
      await openAll(world, others, { [node]: [seconds, untilSeconds] })
      await fallSilent(world, node)
      const sinceMs = await isTainted(world, node)
      await areMarked(world, pods, { node, sinceMs, seconds })
      world.observe('marked when due', pods.length)
      await areDeletedByKubernetes(world, pods, { node, seconds: untilSeconds })
    },
  })),
]

/** As it deletes pods without the policy that tolerate the taint for this long. */
export async function areDeletedByKubernetes(
  world: UnhealthyWorld,
  pods: readonly PodSeen[],
  { node, seconds }: Omit<Due, 'sinceMs'>,
): Promise<void> {
  const entries = await world.eventually(
    'all pods are deleted',
    async () => pods.map((pod) => entryOf(world, pod)),
    (found) => found.every(({ deletedAtMs }) => deletedAtMs !== undefined),
  )
  const actedMs = await kubernetesActedAt(world, node, seconds)
  const offsets = entries.map(({ deletedAtMs = 0 }) => deletedAtMs - actedMs)
  if (offsets.some((offset) => Math.abs(offset) > lateMs))
    throw new Error(`deleted ${offsets.join(', ')} ms after their time`)
  if (!entries.every(({ byTaint }) => byTaint)) throw new Error(`deleted by others: ${JSON.stringify(entries)}`)
  world.observe('deleted by Kubernetes', entries.length)
}

const meddling: readonly UnhealthyScenario[] = [
  {
    name: 'a Deployment with pods on dead and on healthy nodes is scaled and rolled out meanwhile, and ends as it should',
    run: async (world) => {
      const nodes = await arrangeZone(world, { open: 2, more: 3 })
      const [dead = '', ...others] = nodes
      const strategy = '{"maxUnavailable":1}'
      const pods = await arrangeSet(world, { kind: 'Deployment', replicas: 4, strategy, timeout: '5m' })
      await openAll(world, others, { [dead]: [toleratedSeconds] })
      await fallSilent(world, dead)
      const there = pods.filter(({ spec }) => spec.nodeName === dead)
      if (there.length === 0 || there.length === pods.length) throw new Error('the pods are on one node')
      await areMarked(world, there, { node: dead, sinceMs: await isTainted(world, dead), seconds: toleratedSeconds })
      const change = { spec: { replicas: 5, template: { spec: { containers: [{ name: 'main', image: 'web:2' }] } } } }
      await world.arrange('PATCH', `${paths.deployments}/web`, change, strategic)
      const images = await world.eventually(
        'the rollout is over',
        async () => (await appPods(world)).filter(isReady).map(({ spec }) => spec.containers[0]?.image),
        (found) => found.length === 5 && found.every((image) => image === 'web:2'),
      )
      world.observe('images', [...new Set(images)])
      await areReplaced(world, [dead], 5)
      await reportAgain(world, dead)
      await nothingIsLeft(world, [dead], 5)
    },
  },
]

const recoveries: readonly UnhealthyScenario[] = [
  {
    name: 'the node reports again before the time is due: nothing happens',
    run: async (world) => {
      const [node = '', ...others] = await arrangeZone(world, { open: 1, more: 3 })
      const pods = await arrangeSet(world, { seconds: 60, strategy: '{"maxUnavailable":1}' })
      await openAll(world, others)
      await fallSilent(world, node)
      await isTainted(world, node)
      await world.pass(5_000)
      await reportAgain(world, node)
      await nothingIsLeft(world, [node], 3)
      await areUntouched(world, pods)
    },
  },
  {
    name: 'the node reports again after the marks: nothing is deleted, and nothing is left on the pods',
    run: async (world) => {
      const [node = '', ...others] = await arrangeZone(world, { open: 1, more: 3 })
      // Nobody acts on the marks.
      const pods = await arrangeSet(world)
      await openAll(world, others, { [node]: [toleratedSeconds] })
      await fallSilent(world, node)
      await areMarked(world, pods, { node, sinceMs: await isTainted(world, node), seconds: toleratedSeconds })
      world.observe('marked when due', pods.length)
      await reportAgain(world, node)
      await nothingIsLeft(world, [node], 3)
      await areUntouched(world, pods)
    },
  },
]

async function areUntouched(world: UnhealthyWorld, pods: readonly PodSeen[]): Promise<void> {
  // Longer than it would have taken Kubernetes to delete them.
  await world.pass(10_000)
  const now = new Set((await podsOf(world)).map(({ metadata }) => metadata.uid))
  if (!pods.every(({ metadata }) => now.has(metadata.uid))) throw new Error('some are gone')
  const deleted = pods.filter((pod) => entryOf(world, pod).deletedAtMs !== undefined)
  world.observe('deleted', deleted.length)
}

export const unhealthyNodeScenarios: readonly UnhealthyScenario[] = [
  ...paces.map(({ name, set, nodes: count, most }) => ({
    name,
    run: async (world: UnhealthyWorld) => {
      const nodes = await arrangeZone(world, { open: count, more: count + 2 })
      const [dead, others] = [nodes.slice(0, count), nodes.slice(count)]
      const { replicas = 3, strategy = '{"maxUnavailable":1}' } = set
      const pods = await arrangeSet(world, { ...set, replicas, strategy, timeout: '5m' })
      await openAll(world, others, Object.fromEntries(dead.map((node) => [node, [toleratedSeconds]])))
      for (const node of dead) await fallSilent(world, node)
      await areMarkedOnEach(world, pods, dead)
      world.observe('marked when due', pods.length)
      await areReplaced(world, dead, replicas)
      areInProgress(world, replicas, most)
      for (const node of dead) await reportAgain(world, node)
      await nothingIsLeft(world, dead, replicas)
      world.observe('evictions', await world.evictionCalls())
    },
  })),
  ...inTime,
  ...meddling,
  ...recoveries,
]
