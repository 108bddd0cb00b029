import { isReady } from '../src/api/kubernetes/pod-availability.ts'
import type { Pod } from '../src/api/kubernetes/core.ts'
import { pods } from '../src/api/kubernetes/resources.ts'
import { isDrained, nodeMaintenances } from '../src/api/maintenance/node-maintenance.ts'
import { applications, behaviour, demoObjects, shop, type DemoObject } from '../src/cli/demo/applications.ts'
import { chooseNodes } from '../src/cli/demo/choose-nodes.ts'
import { newTally } from '../src/cli/demo/eviction-tally.ts'
import { complete } from '../src/cli/demo/lifeboat-drain.ts'
import { createAll, openLifeboat, readyPodsOf, until, type Stage } from '../src/cli/demo/stage.ts'
import { selectByName } from '../src/cli/maintenance/selector.ts'
import type { Transport } from '../src/kube/client/transport.ts'
import { sleep } from '../src/runtime/clock.ts'
import { openDemoStage } from '../test/build/demo-stage.ts'

// A drain of two nodes by the real controllers, on the embedded cluster and in virtual time: the same run every time.

/** One pod, with the moments of its life since the drain began. A pod without an end is there until the end. */
export interface PlayedPod {
  readonly uid: string
  readonly app: string
  readonly name: string
  /** Empty until the scheduler has chosen one. */
  node: string
  readonly createdMs: number
  readyMs: number | undefined
  terminatingMs: number | undefined
  goneMs: number | undefined
}

export interface PlayedApplication {
  readonly name: string
  readonly about: string
  readonly wanted: number
  /** The fewest pods that were ready at any moment. */
  readonly lowest: number
}

export interface PlayedDrain {
  readonly nodes: readonly string[]
  readonly applications: readonly PlayedApplication[]
  readonly daemonSet: string
  readonly pods: readonly PlayedPod[]
  readonly drainedMs: number
  readonly completedMs: number
  readonly endMs: number
}

const size = { nodes: 6, drained: 2 }
const times = { watchFirstMs: 50, workOnNodesMs: 7_000, lookOnMs: 4_000 }
const maintenance = 'os-upgrade'
const daemonSet = 'logs'

/** How long a pod takes to get ready: each application has its own time, as in a real cluster. */
const readyAfter: Readonly<Record<string, string>> = { checkout: '8s', cart: '5s', orders: '4s', [daemonSet]: '2s' }
const terminateAfter = { annotation: 'lifeboat.test/terminate-after', value: '1s' }

export async function playDrain(): Promise<PlayedDrain> {
  await using ground = await openDemoStage({ nodes: size.nodes })
  return await ground.until(perform(ground.stage))
}

async function perform(stage: Stage): Promise<PlayedDrain> {
  const { clock, kube, signal } = stage
  const measured = applications.filter(({ name }) => name in readyAfter)
  await createAll(stage, demoObjects().filter(isPlayed).map(withStartTime))
  await until(stage, 'all pods run', async () => {
    const ready = await Promise.all(measured.map(({ name }) => readyPodsOf(stage, name)))
    const ofDaemonSet = await readyPodsOf(stage, daemonSet)
    return measured.every(({ replicas }, index) => ready[index] === replicas) && ofDaemonSet === size.nodes
  })
  await using _lifeboat = await openLifeboat(stage, newTally())
  const { items } = await kube.list(pods, { signal })
  const nodes = chooseNodes(items, Object.keys(readyAfter), size.drained)
  const beganMs = clock.monotonicMs()
  const sinceMs = () => Math.round(clock.monotonicMs() - beganMs)
  await using watched = await watchPods(stage.transport, sinceMs)
  await sleep(clock, times.watchFirstMs, signal)
  const spec = { stage: 'Drain' as const, nodeSelector: selectByName(nodes), reason: 'OS upgrade' }
  await kube.create(nodeMaintenances, { metadata: { name: maintenance }, spec }, { signal })
  const isOver = async () => isDrained(await kube.get(nodeMaintenances, { name: maintenance }, { signal }))
  await until(stage, 'the nodes are drained', isOver)
  const drainedMs = sinceMs()
  await sleep(clock, times.workOnNodesMs, signal)
  const completedMs = sinceMs()
  await complete(stage, { maintenance, nodes })
  await sleep(clock, times.lookOnMs, signal)
  const seen = watched.pods()
  return {
    nodes,
    applications: measured.map(({ name, about, wanted }) => ({ name, about, wanted, lowest: lowestReady(seen, name) })),
    daemonSet,
    pods: seen,
    drainedMs,
    completedMs,
    endMs: sinceMs(),
  }
}

const isPlayed = ({ object: { metadata } }: DemoObject): boolean =>
  metadata.name === shop || metadata.name in readyAfter

interface WithTemplate {
  readonly template?: { readonly metadata: { readonly annotations: Readonly<Record<string, string>> } }
}

function withStartTime({ resource, object }: DemoObject): DemoObject {
  const spec = 'spec' in object ? (object.spec as WithTemplate) : {}
  if (spec.template === undefined) return { resource, object }
  const { metadata } = spec.template
  const annotations = {
    ...metadata.annotations,
    [behaviour.readyAfter]: readyAfter[object.metadata.name] ?? '1s',
    [terminateAfter.annotation]: terminateAfter.value,
  }
  const template = { ...spec.template, metadata: { ...metadata, annotations } }
  return { resource, object: { ...object, spec: { ...spec, template } } as typeof object }
}

async function watchPods(transport: Transport, sinceMs: () => number) {
  const stop = new AbortController()
  const query = { watch: 'true' }
  const answer = await transport.watch({ method: 'GET', path: '/api/v1/pods', query, signal: stop.signal })
  if (answer.kind === 'refused') throw new Error(`pods cannot be watched: ${answer.status}`)
  const seen = new Map<string, PlayedPod>()
  const read = async () => {
    for await (const { type, object } of answer.events) note(seen, object as Pod, type === 'DELETED', sinceMs())
  }
  // It ends by being stopped.
  const reading = read().catch(() => {})
  return {
    pods: () => [...seen.values()],
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('seen enough'))
      await reading
    },
  }
}

function note(seen: Map<string, PlayedPod>, pod: Pod, isGone: boolean, atMs: number): void {
  const { uid, name, labels, deletionTimestamp } = pod.metadata
  const app = labels?.['app'] ?? ''
  if (!(app in readyAfter)) return
  const known: PlayedPod = seen.get(uid) ?? {
    uid,
    app,
    name,
    node: '',
    createdMs: atMs,
    readyMs: undefined,
    terminatingMs: undefined,
    goneMs: undefined,
  }
  seen.set(uid, known)
  known.node = pod.spec?.nodeName ?? ''
  if (deletionTimestamp !== undefined) known.terminatingMs ??= atMs
  else if (isReady(pod)) known.readyMs ??= atMs
  if (isGone) known.goneMs ??= atMs
}

/** Pods count from when they are ready until they are asked to end. */
function lowestReady(seen: readonly PlayedPod[], app: string): number {
  const own = seen.filter((pod) => pod.app === app)
  const moments = own.flatMap(({ readyMs, terminatingMs }) => [readyMs, terminatingMs]).filter((at) => at !== undefined)
  const readyAt = (atMs: number) =>
    own.filter(({ readyMs = Infinity, terminatingMs = Infinity }) => readyMs <= atMs && atMs < terminatingMs).length
  return Math.min(...moments.map(readyAt))
}
