import { nodeOfEvacuation } from '../../api/evacuation/evacuated-from.ts'
import type { Evacuation } from '../../api/evacuation/evacuation.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { maintenanceStatusOf, type MaintenanceStatus } from '../../api/maintenance/maintenance-status.ts'
import {
  drainedCondition,
  isCompleted,
  isDrained,
  type NodeMaintenance,
} from '../../api/maintenance/node-maintenance.ts'
import type { Stage } from '../../api/maintenance/stage.ts'
import { withoutBreaks } from '../../kube/auth/kubeconfig-error.ts'
import type { DrainHistory, NodeSight } from './drain-history.ts'
import { waitingPods, type WaitingPod } from './waiting-pods.ts'

/** Everything that a picture of a drain is made of. */
export interface DrainView {
  readonly maintenance: NodeMaintenance
  /** The selected nodes that are under maintenance. */
  readonly nodes: readonly Node[]
  /** Nodes that are selected whether or not Lifeboat has come to them yet. */
  readonly expectedNodes: readonly string[]
  readonly evacuations: readonly Evacuation[]
  readonly history: DrainHistory
  /** When the user began to look; undefined for a single look. */
  readonly sinceMs: number | undefined
  /** What keeps the view from knowing more, in one line. */
  readonly trouble?: string | undefined
}

export type NodeState = 'blocked' | 'waiting' | 'moving' | 'unseen' | 'cordoned' | 'drained'

export interface NodePicture {
  readonly name: string
  readonly state: NodeState
  readonly pending: number
  readonly evacuating: number
  /** Seen to leave, of all that were seen. */
  readonly gone: number
  readonly total: number
  /** Empty: for nothing. */
  readonly waitsFor: string
  /** As the controller says it. */
  readonly message: string
  readonly elapsedMs: number | undefined
  readonly expected: ExpectedFinish | undefined
}

export interface ExpectedFinish {
  readonly atMs: number
  readonly inMs: number
  /** Some of the pods have no expected finish: it may take longer. */
  readonly isAtLeast: boolean
}

export interface DrainPicture {
  readonly name: string
  readonly stage: Stage
  readonly reason: string
  readonly message: string
  readonly isDrained: boolean
  readonly isCompleted: boolean
  readonly createdAtMs: number | undefined
  /** Worst first. */
  readonly nodes: readonly NodePicture[]
  readonly nodesTotal: number
  readonly nodesDrained: number
  readonly pending: number
  readonly evacuating: number
  readonly gone: number
  readonly total: number
  /** Those that need manual action first. */
  readonly waiting: readonly WaitingPod[]
  readonly elapsedMs: number | undefined
  readonly expected: ExpectedFinish | undefined
  /** The view began in the middle: pods that had left before are in no number. */
  readonly isPartial: boolean
  readonly trouble: string | undefined
}

/** A view that begins within this time of the drain has seen all of it. */
const promptMs = 10_000

export function drainPicture(view: DrainView, nowMs: number): DrainPicture {
  const { maintenance, sinceMs } = view
  const { spec, status, metadata } = maintenance
  const beganMs = stageBegan(maintenance, 'Drain')
  const evacuations = byNode(view)
  const isDraining = spec.stage === 'Drain'
  const drainedMs = isDraining ? drainedAt(maintenance) : undefined
  const waiting = isDraining && drainedMs === undefined ? waitingPods([...evacuations.values()].flat()) : []
  const waitingByNode = Map.groupBy(waiting, ({ node }) => node)
  const about = { view, reports: reportsOf(maintenance), beganMs, drainedMs, nowMs, isDraining }
  const nodes = nodesOf(view)
    .map((node) => nodePicture(node, evacuations.get(node.name) ?? [], waitingByNode.get(node.name) ?? [], about))
    .toSorted(byTrouble)
  const drained = status?.drainStatus
  const sum = (count: (node: NodePicture) => number) => nodes.reduce((total, node) => total + count(node), 0)
  const endMs = drainedAt(maintenance) ?? nowMs
  return {
    name: metadata.name,
    stage: spec.stage,
    reason: withoutBreaks(spec.reason ?? ''),
    message: withoutBreaks(drained?.drainMessage ?? ''),
    isDrained: isDrained(maintenance),
    isCompleted: isCompleted(maintenance),
    createdAtMs: metadata.creationTimestamp === undefined ? undefined : Date.parse(metadata.creationTimestamp),
    nodes,
    nodesTotal: Math.max(nodes.length, drained?.nodesTotal ?? 0),
    nodesDrained: nodes.filter(({ state }) => state === 'drained').length,
    pending: sum(({ pending }) => pending),
    evacuating: sum(({ evacuating }) => evacuating),
    gone: sum(({ gone }) => gone),
    total: sum(({ total }) => total),
    waiting,
    elapsedMs: beganMs === undefined ? undefined : Math.max(0, endMs - beganMs),
    expected: latest(nodes, nowMs),
    isPartial: sinceMs !== undefined && beganMs !== undefined && sinceMs - beganMs > promptMs,
    trouble: view.trouble,
  }
}

/** What the history of a view remembers of a node. */
export function sightOf(node: Node, reports: NodeReports = noReports): NodeSight {
  const counts = countsOf(node, reports)
  return { name: node.metadata.name, left: counts.pending + counts.evacuating, isDrained: counts.isDrained }
}

interface SeenNode {
  readonly name: string
  readonly node: Node | undefined
}

/** A completed maintenance has given its nodes back: what happens there is another's. */
function nodesOf({ maintenance, nodes, expectedNodes }: DrainView): SeenNode[] {
  if (maintenance.spec.stage === 'Complete' && isCompleted(maintenance)) return []
  const seen = new Map<string, Node | undefined>(expectedNodes.map((name) => [name, undefined]))
  for (const node of nodes) seen.set(node.metadata.name, node)
  return Array.from(seen, ([name, node]) => ({ name, node }))
}

/** What a maintenance says of its nodes, by name. */
export type NodeReports = ReadonlyMap<string, MaintenanceStatus>

const noReports: NodeReports = new Map()

export function reportsOf({ status }: NodeMaintenance): NodeReports {
  return new Map((status?.nodeStatuses ?? []).map((report) => [report.nodeRef.name, report]))
}

function countsOf(node: Node | undefined, reports: NodeReports) {
  const parsed = node === undefined ? undefined : maintenanceStatusOf(node)
  if (parsed?.kind !== 'parsed') return { isSeen: false, isDrained: false, pending: 0, evacuating: 0, message: '' }
  const noted = countsIn(parsed.status)
  const report = node === undefined ? undefined : reports.get(node.metadata.name)
  if (report === undefined || noted.isDrained) return noted
  // Numbers alone are written to a node seldom where many are drained, and to the maintenance every second.
  return countsIn(report)
}

function countsIn(status: MaintenanceStatus) {
  const { drainTargets, podsPendingEvacuation: pending, podsEvacuating: evacuating, drainMessage } = status
  // Without targets it is cordoned and no more.
  const isEmpty = drainTargets.length > 0 && pending + evacuating === 0
  return { isSeen: true, isDrained: isEmpty, pending, evacuating, message: withoutBreaks(drainMessage) }
}

interface About {
  readonly view: DrainView
  readonly reports: NodeReports
  readonly beganMs: number | undefined
  /** When the whole was drained, if it is. */
  readonly drainedMs: number | undefined
  readonly nowMs: number
  readonly isDraining: boolean
}

function nodePicture(
  { name, node }: SeenNode,
  evacuations: readonly Evacuation[],
  waiting: readonly WaitingPod[],
  { view, reports, beganMs, drainedMs, nowMs, isDraining }: About,
): NodePicture {
  const seen = countsOf(node, reports)
  // The maintenance may be heard of before its last node.
  const isLate = drainedMs !== undefined && seen.isSeen && !seen.isDrained
  const counts = isLate ? { ...seen, isDrained: true, pending: 0, evacuating: 0, message: 'Drained' } : seen
  const { pending, evacuating, message } = counts
  const state = stateOf(counts, waiting, isDraining)
  const past = view.history.get(name)
  const gone = (past?.gone ?? 0) + (isLate ? (past?.left ?? 0) : 0)
  const endMs = state === 'drained' ? (isLate ? drainedMs : past?.drainedAtMs) : nowMs
  return {
    name,
    state,
    pending,
    evacuating,
    gone,
    total: gone + pending + evacuating,
    waitsFor: waitsFor({ state, pending, evacuating, message }, waiting),
    message,
    elapsedMs: beganMs === undefined || endMs === undefined ? undefined : Math.max(0, endMs - beganMs),
    expected: state === 'drained' ? undefined : expectedOf(evacuations, pending + evacuating, nowMs),
  }
}

function stateOf(counts: ReturnType<typeof countsOf>, waiting: readonly WaitingPod[], isDraining: boolean): NodeState {
  if (!counts.isSeen) return 'unseen'
  if (counts.isDrained) return 'drained'
  if (!isDraining) return 'cordoned'
  if (waiting.some(({ needsSomebody }) => needsSomebody)) return 'blocked'
  return counts.evacuating > 0 ? 'moving' : 'waiting'
}

type Waiting = Pick<NodePicture, 'state' | 'pending' | 'evacuating' | 'message'>

function waitsFor({ state, pending, evacuating, message }: Waiting, waiting: readonly WaitingPod[]): string {
  if (state === 'unseen') return 'Lifeboat has not come to it yet'
  if (state === 'cordoned') return 'cordoned'
  if (state === 'drained') return message.toLowerCase()
  const [first, ...more] = waiting
  if (first !== undefined) return `${first.text}${more.length > 0 ? `, ${more.length} more` : ''}`
  if (message !== '' && message !== 'Evacuating') return message
  if (pending + evacuating === 0) return 'its pods are being counted'
  return [...(evacuating > 0 ? [`${evacuating} on the way`] : []), ...(pending > 0 ? [`${pending} to come`] : [])].join(
    ', ',
  )
}

function byNode({ nodes, evacuations }: DrainView): Map<string, Evacuation[]> {
  const found = new Map<string, Evacuation[]>(nodes.map(({ metadata }) => [metadata.name, []]))
  for (const evacuation of evacuations) found.get(nodeOfEvacuation(evacuation) ?? '')?.push(evacuation)
  return found
}

function expectedOf(evacuations: readonly Evacuation[], left: number, nowMs: number): ExpectedFinish | undefined {
  const times = evacuations.flatMap(({ status }) =>
    status?.expectedEvacuationFinishTime === undefined ? [] : [Date.parse(status.expectedEvacuationFinishTime)],
  )
  if (times.length === 0) return undefined
  return finish(times, times.length < Math.max(left, evacuations.length), nowMs)
}

export function latest(nodes: readonly NodePicture[], nowMs: number): ExpectedFinish | undefined {
  const open = nodes.filter(({ state }) => state !== 'drained')
  const known = open.flatMap(({ expected }) => (expected === undefined ? [] : [expected]))
  if (known.length === 0) return undefined
  const isAtLeast = known.length < open.length || known.some((each) => each.isAtLeast)
  return finish(
    known.map(({ atMs }) => atMs),
    isAtLeast,
    nowMs,
  )
}

function finish(timesMs: readonly number[], isAtLeast: boolean, nowMs: number): ExpectedFinish {
  const atMs = timesMs.reduce((late, timeMs) => Math.max(late, timeMs), 0)
  return { atMs, inMs: Math.max(0, atMs - nowMs), isAtLeast }
}

const stateOrder: readonly NodeState[] = ['blocked', 'waiting', 'moving', 'unseen', 'cordoned', 'drained']

/** Blocked ones first, then those with the most left to do; drained ones last. */
export function byTrouble(a: NodePicture, b: NodePicture): number {
  const urgency = ({ state }: NodePicture) =>
    state === 'moving' ? stateOrder.indexOf('waiting') : stateOrder.indexOf(state)
  const left = ({ pending, evacuating }: NodePicture) => pending + evacuating
  return urgency(a) - urgency(b) || left(b) - left(a) || byName(a, b)
}

/** node-9 before node-10. */
export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return names.compare(a.name, b.name)
}

const names = new Intl.Collator('en', { numeric: true })

function stageBegan({ status }: NodeMaintenance, stage: Stage): number | undefined {
  const began = status?.stageStatuses?.find(({ name }) => name === stage)?.startTimestamp
  return began === undefined ? undefined : Date.parse(began)
}

function drainedAt({ status }: NodeMaintenance): number | undefined {
  const condition = status?.conditions?.find(({ type }) => type === drainedCondition)
  return condition?.status === 'True' ? Date.parse(condition.lastTransitionTime) : undefined
}
