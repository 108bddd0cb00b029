import { buildPod } from '../build/nodes-and-pods.ts'
import type { StoryNeeds, World } from './scenario.ts'
import { fallSilent, reportAgain, reportTrouble } from './troubled-nodes.ts'
import { arrangeNodes, isReady, merge, paths, type PodSeen } from './workload-world.ts'

// What Kubernetes does about nodes that fall silent or report trouble. Each story has a zone of its own with enough
// healthy nodes in it: a zone that is mostly down is left alone, and a cluster that is all down, too.

export interface NodeWorld extends World {
  pass(milliseconds: number): Promise<void>
  /** Kills kube-controller-manager and starts it again. */
  restartControllerManager(): Promise<void>
}

export interface NodeScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: NodeWorld) => Promise<void>
}

interface NodeSeen {
  readonly spec: { readonly taints?: readonly { key: string; effect: string; timeAdded?: string }[] }
  readonly status: { readonly conditions: readonly { type: string; status: string; reason?: string }[] }
}

interface TimedPod extends PodSeen {
  readonly status?: {
    readonly conditions?: readonly { type: string; status: string; reason?: string; lastTransitionTime?: string }[]
  }
}

const unreachable = 'node.kubernetes.io/unreachable'
const notReady = 'node.kubernetes.io/not-ready'
const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }

async function arrangeZone(world: World, count: number): Promise<readonly [string, ...string[]]> {
  const [first, ...rest] = await arrangeNodes(world, count, () => ({ zone: world.namespace }))
  if (first === undefined) throw new Error('a zone has at least one node')
  return [first, ...rest]
}

/** Without a time it tolerates both troubles forever. */
async function putPod(world: World, name: string, on: { node: string; seconds?: number }): Promise<void> {
  const time = on.seconds === undefined ? {} : { tolerationSeconds: on.seconds }
  const tolerating = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', ...time })
  const tolerations = [tolerating(unreachable), tolerating(notReady)]
  await world.arrange('POST', paths.pods, buildPod({ name, namespace: 'NS', nodeName: on.node, tolerations }))
  await podIs(world, name, 'runs', (pod) => pod !== undefined && isReady(pod))
}

async function lookAt(world: World, node: string): Promise<NodeSeen> {
  return (await world.read(`/api/v1/nodes/${node}`)).body as unknown as NodeSeen
}

const taintOf = ({ spec }: NodeSeen, key: string) =>
  spec.taints?.find((taint) => taint.key === key && taint.effect === 'NoExecute')

async function isTainted(world: World, node: string, key: string): Promise<string> {
  const seen = await world.eventually(
    `${node} is tainted ${key}`,
    () => lookAt(world, node),
    (found) => taintOf(found, key) !== undefined,
  )
  return taintOf(seen, key)?.timeAdded ?? ''
}

async function isUntainted(world: World, node: string): Promise<void> {
  const isBare = ({ spec }: NodeSeen) => (spec.taints ?? []).length === 0
  await world.eventually(`${node} has no taints`, () => lookAt(world, node), isBare)
}

async function podIs(
  world: World,
  name: string,
  what: string,
  isRight: (pod: TimedPod | undefined) => boolean,
): Promise<TimedPod | undefined> {
  const look = async () => {
    const { status, body } = await world.read(`${paths.pods}/${name}`)
    return status === 404 ? undefined : (body as unknown as TimedPod)
  }
  return await world.eventually(`${name} ${what}`, look, isRight)
}

const isGone = (pod: TimedPod | undefined) => pod === undefined
const disruptionOf = (pod: TimedPod | undefined) =>
  pod?.status?.conditions?.find(({ type }) => type === 'DisruptionTarget')

/** Kubernetes deletes it; how long after that moment. */
async function isRemoved(world: World, name: string, since: string, seconds: number): Promise<void> {
  const pod = await podIs(world, name, 'is deleted', (found) => disruptionOf(found) !== undefined)
  const disruption = disruptionOf(pod)
  world.observe(`${name} is deleted`, {
    reason: disruption?.reason,
    secondsLater: near(secondsBetween(since, disruption?.lastTransitionTime), seconds),
  })
}

const secondsBetween = (from: string, to: string | undefined) => (Date.parse(to ?? '') - Date.parse(from)) / 1_000

/** API times are cut to whole seconds. Kubernetes on a busy machine may be late, and is never early. */
const near = (actual: number, wanted: number) =>
  actual >= wanted - earlyMaxSeconds && actual <= wanted + lateMaxSeconds ? `about ${wanted}` : actual
const [earlyMaxSeconds, lateMaxSeconds] = [3, 12]

const silence: NodeScenario = {
  name: 'a node that falls silent is tainted, its pods are unready and deleted in their time, and end when it is back',
  run: async (world) => {
    const [node] = await arrangeZone(world, 3)
    await putPod(world, 'web', { node, seconds: 5 })
    await fallSilent(world, node)
    const tainted = await isTainted(world, node, unreachable)
    // Two parts of kube-controller-manager put them on, in any order.
    const { spec, status } = await world.eventually(
      `${node} has both taints`,
      () => lookAt(world, node),
      (seen) => (seen.spec.taints ?? []).length >= 2,
    )
    world.observe('taints', (spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).toSorted())
    const unknown = status.conditions.filter(({ status: value }) => value === 'Unknown')
    world.observe('unknown', unknown.map(({ type, reason }) => `${type}: ${reason}`).toSorted())
    await podIs(world, 'web', 'is unready', (pod) => pod !== undefined && !isReady(pod))
    await isRemoved(world, 'web', tainted, 5)
    await world.pass(5_000)
    const left = await podIs(world, 'web', 'is there', () => true)
    world.observe('it terminates', left?.metadata.deletionTimestamp !== undefined)
    await reportAgain(world, node)
    await podIs(world, 'web', 'is gone', isGone)
    await isUntainted(world, node)
  },
}

const swapped: NodeScenario = {
  name: 'trouble that becomes silence counts from the trouble, and leaves pods ready',
  run: async (world) => {
    const [node] = await arrangeZone(world, 3)
    await putPod(world, 'web', { node, seconds: 70 })
    await reportTrouble(world, node)
    const troubled = await isTainted(world, node, notReady)
    await fallSilent(world, node)
    await isTainted(world, node, unreachable)
    const pod = await podIs(world, 'web', 'is there', () => true)
    world.observe('it is still ready', pod !== undefined && isReady(pod))
    await isRemoved(world, 'web', troubled, 70)
  },
}

const paced: NodeScenario = {
  name: 'five nodes of a zone that fall silent at once lose their pods ten seconds apart',
  run: async (world) => {
    const nodes = (await arrangeZone(world, 11)).slice(0, 5)
    for (const node of nodes) await fallSilent(world, node)
    const hasOne = async () => await Promise.all(nodes.map((node) => lookAt(world, node)))
    await world.eventually('the first is tainted', hasOne, (seen) =>
      seen.some((node) => taintOf(node, unreachable) !== undefined),
    )
    const times: string[] = []
    for (const node of nodes) times.push(await isTainted(world, node, unreachable))
    // Counted from the first: one that is late makes the way to the next one shorter.
    const [first = '', ...others] = times.toSorted()
    world.observe(
      'seconds after the first',
      others.map((time, at) => near(secondsBetween(first, time), (at + 1) * 10)),
    )
  },
}

const recovery: NodeScenario = {
  name: 'a node that reports again in time keeps its pods, and nothing is left on them',
  run: async (world) => {
    const [node] = await arrangeZone(world, 3)
    await putPod(world, 'web', { node, seconds: 10 })
    await fallSilent(world, node)
    await isTainted(world, node, unreachable)
    await reportAgain(world, node)
    await isUntainted(world, node)
    await world.pass(12_000)
    const pod = await podIs(world, 'web', 'is ready again', (found) => found !== undefined && isReady(found))
    world.observe('what is left on it', { deleted: pod?.metadata.deletionTimestamp, disruption: disruptionOf(pod) })
  },
}

const collected: NodeScenario = {
  name: 'pods that terminate on a node that is not ready go with the taint out-of-service, and others with them',
  run: async (world) => {
    const [node] = await arrangeZone(world, 3)
    await putPod(world, 'first', { node })
    await putPod(world, 'second', { node })
    await fallSilent(world, node)
    await world.arrange('DELETE', `${paths.pods}/first`)
    const tainted = await isTainted(world, node, unreachable)
    await world.pass(25_000)
    const first = await podIs(world, 'first', 'is there', () => true)
    world.observe('without it', first === undefined ? 'gone' : 'terminates')
    const { spec } = await lookAt(world, node)
    await world.arrange(
      'PATCH',
      `/api/v1/nodes/${node}`,
      { spec: { taints: [...(spec.taints ?? []), outOfService] } },
      merge,
    )
    await podIs(world, 'second', 'is gone', isGone)
    await podIs(world, 'first', 'is gone', isGone)
    const { timeAdded } = taintOf(await lookAt(world, node), unreachable) ?? {}
    world.observe('its own taint stays', timeAdded === tainted)
  },
}

const restarted: NodeScenario = {
  name: 'after a restart of kube-controller-manager taints come anew, one after the other, and counts begin again',
  ownCluster: true,
  run: async (world) => {
    const [one, two] = await arrangeZone(world, 6)
    const silent = [one, two ?? '']
    for (const [at, node] of silent.entries()) await putPod(world, `pod-${at}`, { node, seconds: 40 })
    for (const node of silent) await fallSilent(world, node)
    const before: string[] = []
    for (const node of silent) before.push(await isTainted(world, node, unreachable))
    await world.restartControllerManager()
    const isNew = (node: NodeSeen, at: number) => (taintOf(node, unreachable)?.timeAdded ?? '') > (before[at] ?? '')
    const after: string[] = []
    for (const [at, node] of silent.entries()) {
      await world.eventually(
        `${node} is tainted again`,
        () => lookAt(world, node),
        (seen) => isNew(seen, at),
      )
      after.push(await isTainted(world, node, unreachable))
    }
    const [first = '', second = ''] = after.toSorted()
    world.observe('seconds from one to the other', near(secondsBetween(first, second), 10))
    for (const at of silent.keys()) await isRemoved(world, `pod-${at}`, after[at] ?? '', 40)
  },
}

export const nodeLifecycleScenarios: readonly NodeScenario[] = [silence, swapped, paced, recovery, collected, restarted]
