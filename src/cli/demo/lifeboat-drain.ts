import { blockerOf } from '../../api/blocker/blocked-by.ts'
import type { Blocker } from '../../api/blocker/blocker.ts'
import { nodeOfEvacuation } from '../../api/evacuation/evacuated-from.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { nodes, pods } from '../../api/kubernetes/resources.ts'
import { isCompleted, nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { noKubeMetrics } from '../../kube/metrics.ts'
import { sleep } from '../../runtime/clock.ts'
import { silentLog } from '../../runtime/log.ts'
import { selectByName } from '../maintenance/selector.ts'
import type { Terminal } from '../output/terminal.ts'
import { sightOf, type DrainPicture } from '../view/drain-picture.ts'
import { followDrain, type FollowedDrain } from '../view/follow-drain.ts'
import { drainPictures } from '../view/join-pictures.ts'
import { drainScene, LiveView, type LiveScene } from '../view/live-view.ts'
import { explain } from '../why/explain.ts'
import { lookAtNode } from '../why/look.ts'
import { renderWhy } from '../why/render-why.ts'
import { fragile } from './applications.ts'
import { until, type Stage } from './stage.ts'

export const maintenanceName = 'kernel-update'

export interface DrainOptions {
  /** The name of the NodeMaintenance. */
  readonly maintenance: string
  readonly nodes: readonly string[]
  /** Whether the show stops for what a pod waits for. */
  readonly isTrouble: (blocker: Blocker) => boolean
}

/** The drain of `lifeboat demo`: the replacement of the fragile application does not start. */
export function kernelUpdate(names: readonly string[]): DrainOptions {
  const isTrouble = (blocker: Blocker) =>
    blocker.kind === 'replacementNotReady' && blocker.replacement.startsWith(`${fragile}-`)
  return { maintenance: maintenanceName, nodes: names, isTrouble }
}

/** A drain by Lifeboat, shown live. */
export interface LifeboatDrain extends AsyncDisposable {
  /** Resolves to the node where the trouble is. */
  untilBlocked(): Promise<string>
  /** Resolves to the moment, by the monotonic clock. */
  untilDrained(): Promise<number>
}

/** Long enough to see that the others continue, and for the last line: a node is heard once a second. */
const lookOnMs = 1_000

export async function beginDrain(stage: Stage, terminal: Terminal, options: DrainOptions): Promise<LifeboatDrain> {
  const { kube, clock, random, signal } = stage
  const { maintenance: name, nodes: names, isTrouble } = options
  const spec = { stage: 'Drain' as const, nodeSelector: selectByName(names), reason: 'kernel update' }
  await kube.create(nodeMaintenances, { metadata: { name }, spec }, { signal })
  const parts = { kube, clock, random, log: silentLog, metrics: noKubeMetrics }
  const followed = await followDrain(parts, { name, isJoined: false, expectedNodes: names, signal })
  await until(stage, 'Lifeboat has looked at the nodes', () => isCounted(followed, names, clock.nowMs()))
  // One scene for all of it: what has been said is not said again after an interruption.
  const scene = drainScene((nowMs) => pictureOf(followed, nowMs))
  const show = (what: string, isOver: () => boolean) => showUntil(stage, { terminal, followed, scene }, what, isOver)
  return {
    untilBlocked: async () => {
      await show('the trouble is noticed', () => blockedNode(followed, isTrouble) !== undefined)
      return blockedNode(followed, isTrouble) ?? ''
    },
    untilDrained: () => show('the nodes are drained', () => pictureOf(followed, clock.nowMs()).isDrained),
    [Symbol.asyncDispose]: () => followed[Symbol.asyncDispose](),
  }
}

function pictureOf(followed: FollowedDrain, nowMs: number): DrainPicture {
  const drain = followed.drain()
  const [picture] = drain.maintenances.length === 0 ? [] : drainPictures([drain], followed.sights(), nowMs)
  if (picture === undefined) throw new Error('the maintenance is gone')
  return picture
}

/** Before, there are no figures to show. A few pods may be gone before Lifeboat has counted them. */
function isCounted(followed: FollowedDrain, names: readonly string[], nowMs: number): boolean {
  const counted = followed.sights().nodes.filter((node) => names.includes(node.metadata.name) && sightOf(node).left > 0)
  return counted.length === names.length || pictureOf(followed, nowMs).isDrained
}

function blockedNode(followed: FollowedDrain, isTrouble: DrainOptions['isTrouble']): string | undefined {
  const stuck = followed.sights().evacuations.find((evacuation) => {
    const blocker = blockerOf(evacuation)
    return blocker !== undefined && isTrouble(blocker)
  })
  return stuck === undefined ? undefined : nodeOfEvacuation(stuck)
}

interface Shown {
  readonly terminal: Terminal
  readonly followed: FollowedDrain
  readonly scene: LiveScene
}

async function showUntil(
  stage: Stage,
  { terminal, followed, scene }: Shown,
  what: string,
  isOver: () => boolean,
): Promise<number> {
  using live = new LiveView({ terminal, clock: stage.clock, scene })
  using _changes = followed.subscribe(() => live.changed())
  await until(stage, what, isOver)
  const atMs = stage.clock.monotonicMs()
  await sleep(stage.clock, lookOnMs, stage.signal)
  return atMs
}

/** As `lifeboat why NODE` says it. */
export async function whyNode({ kube, clock, signal }: Stage, name: string): Promise<string[]> {
  const view = await lookAtNode(kube, name, signal)
  const nowMs = clock.nowMs()
  return view === undefined ? [] : renderWhy(explain(view, nowMs), nowMs)
}

/** `lifeboat complete`. */
export async function complete(
  stage: Stage,
  { maintenance, nodes: names }: Pick<DrainOptions, 'maintenance' | 'nodes'>,
): Promise<void> {
  const { kube, signal } = stage
  const key = { name: maintenance }
  await kube.patch(nodeMaintenances, key, { type: 'merge', body: { spec: { stage: 'Complete' } } }, { signal })
  const isOver = async () => isCompleted(await kube.get(nodeMaintenances, key, { signal }))
  await until(stage, 'the maintenance is completed', isOver)
  for (const name of names) {
    const { spec } = await kube.get(nodes, { name }, { signal })
    if (spec?.unschedulable === true) throw new Error(`${name} is still cordoned`)
  }
}

/** How many of these pods are gone, by application. */
export async function countGone({ kube, signal }: Stage, before: readonly Pod[]): Promise<Map<string, number>> {
  const { items } = await kube.list(pods, { signal })
  const there = new Set(items.map(({ metadata }) => metadata.uid))
  const gone = before.filter(({ metadata }) => !there.has(metadata.uid))
  const groups = Map.groupBy(gone, ({ metadata }) => metadata.labels?.['app'] ?? '')
  return new Map(Array.from(groups, ([app, list]) => [app, list.length]))
}
