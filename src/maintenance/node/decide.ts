import { buildHoldBegin, renderHoldBegin } from '../../api/maintenance/hold-begin.ts'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import {
  maintenanceStatusOf,
  renderMaintenanceStatus,
  type MaintenanceStatus,
} from '../../api/maintenance/maintenance-status.ts'
import { annotations, labels } from '../../api/names.ts'
import type { Cover } from '../plan/active.ts'
import type { NodeOutcome } from '../plan/plan.ts'
import { isMarked } from './slim-node.ts'

export interface NodeView {
  readonly node: Node
  readonly cover: Cover
  /** What the plan says; undefined while its pods are not known. */
  readonly outcome: NodeOutcome | undefined
  /** All that are on it, where the outcome is known. */
  readonly pods?: readonly Pod[]
  /** When its annotation was last written, by this process. */
  readonly writtenAtMs: number | undefined
  /** Nodes that are written like this one. */
  readonly nodesWritten: number
}

export type NodeStep =
  | { readonly kind: 'nothing' }
  /** Only numbers have changed: that has time. */
  | { readonly kind: 'later'; readonly atMs: number }
  | {
      readonly kind: 'write'
      readonly patch: NodePatch
      /** No maintenance drains it any more: first its Evacuations are withdrawn. */
      readonly withdraws: boolean
      /** It was schedulable before. `again`: though the maintenance had cordoned it. */
      readonly cordons?: 'first' | 'again'
      readonly uncordons?: true
    }

/** A merge patch. With a resourceVersion where it depends on what the node was like. */
export interface NodePatch {
  readonly metadata: {
    readonly uid: string | undefined
    readonly resourceVersion?: string | undefined
    readonly annotations: Readonly<Record<string, string | null>>
    readonly labels: Readonly<Record<string, 'true' | null>>
  }
  readonly spec?: { readonly unschedulable: true | null }
}

/**
 * How often numbers alone are written at most. Each write of a node is told to every kubelet and scheduler: all nodes
 * together get two a second, as long as that leaves each its minute.
 */
const counts = { everyMs: 5_000, everyMsMax: 60_000, perNodeMs: 500 }

function countsEveryMs(nodesWritten: number): number {
  return Math.min(counts.everyMsMax, Math.max(counts.everyMs, nodesWritten * counts.perNodeMs))
}

export function decideNode(view: NodeView, nowMs: number): NodeStep {
  return view.cover.active.length === 0 ? giveBack(view) : keep(view, nowMs)
}

/** One patch: as long as the annotation is there, something is left to do. */
function giveBack({ node }: NodeView): NodeStep {
  if (!isMarked(node)) return { kind: 'nothing' }
  const { uid, resourceVersion, annotations: noted = {} } = node.metadata
  const metadata = {
    uid,
    resourceVersion,
    annotations: {
      [annotations.maintenanceStatus]: null,
      [annotations.cordoned]: null,
      ...(annotations.daemonSetHold in noted ? { [annotations.daemonSetHold]: null } : {}),
    },
    labels: { [labels.underMaintenance]: null },
  }
  if (!(annotations.cordoned in noted)) return { kind: 'write', patch: { metadata }, withdraws: true }
  return { kind: 'write', patch: { metadata, spec: { unschedulable: null } }, withdraws: true, uncordons: true }
}

function keep(view: NodeView, nowMs: number): NodeStep {
  const { node, cover, writtenAtMs, nodesWritten } = view
  const before = maintenanceStatusOf(node)
  const known = before.kind === 'parsed' ? before.status : undefined
  const status = statusOf(view, known)
  const text = renderMaintenanceStatus(status)
  const isCordoned = node.spec?.unschedulable === true
  const isLabelled = labels.underMaintenance in (node.metadata.labels ?? {})
  const hold = holdChange(view, status, nowMs)
  const isSaid = isLabelled && known !== undefined && renderMaintenanceStatus(known) === text && hold === undefined
  if (isCordoned && isSaid) return { kind: 'nothing' }
  const { uid, resourceVersion } = node.metadata
  const metadata = {
    uid,
    annotations: { [annotations.maintenanceStatus]: text, ...hold },
    labels: { [labels.underMaintenance]: 'true' as const },
  }
  if (!isCordoned) {
    // Whether it was schedulable decides whether it will be: no other writer may change that in between.
    const marked = { ...metadata.annotations, [annotations.cordoned]: 'true' }
    return {
      kind: 'write',
      patch: { metadata: { ...metadata, resourceVersion, annotations: marked }, spec: { unschedulable: true } },
      withdraws: false,
      cordons: before.kind === 'absent' ? 'first' : 'again',
    }
  }
  const dueMs = (writtenAtMs ?? Number.NEGATIVE_INFINITY) + countsEveryMs(nodesWritten)
  const isUrgent = !isLabelled || known === undefined || hold !== undefined || !differOnlyInCounts(known, status)
  if (!isUrgent && dueMs > nowMs) return { kind: 'later', atMs: dueMs }
  const withdraws = cover.draining.length === 0 && (known?.drainTargets.length ?? 0) > 0
  return { kind: 'write', patch: { metadata }, withdraws }
}

/** In the same write as the targets: no DaemonSet pod is deleted before the node says which were there. */
function holdChange(
  { node, outcome, pods = [] }: NodeView,
  { drainTargets }: MaintenanceStatus,
  nowMs: number,
): Readonly<Record<string, string | null>> | undefined {
  const holds = drainTargets.some(({ podType }) => podType === 'DaemonSet')
  const isNoted = annotations.daemonSetHold in (node.metadata.annotations ?? {})
  if (holds === isNoted || (holds && outcome === undefined)) return undefined
  if (!holds) return { [annotations.daemonSetHold]: null }
  return { [annotations.daemonSetHold]: renderHoldBegin(buildHoldBegin(pods, nowMs)) }
}

function statusOf({ cover, outcome }: NodeView, known: MaintenanceStatus | undefined): MaintenanceStatus {
  const reason = cover.active.map(({ object }) => object.spec.reason ?? '').find((text) => text !== '')
  const said = reason === undefined ? {} : { reason }
  if (cover.draining.length === 0) return { ...cordonedOnly, ...said }
  if (outcome === undefined) return { ...(known ?? cordonedOnly), ...said }
  return {
    drainTargets: outcome.targets,
    drainMessage: outcome.message,
    podsPendingEvacuation: outcome.tally.pending,
    podsEvacuating: outcome.tally.evacuating,
    ...said,
  }
}

const cordonedOnly = { drainTargets: [], drainMessage: '', podsPendingEvacuation: 0, podsEvacuating: 0 }

function differOnlyInCounts(one: MaintenanceStatus, other: MaintenanceStatus): boolean {
  const { podsPendingEvacuation, podsEvacuating } = one
  return renderMaintenanceStatus({ ...other, podsPendingEvacuation, podsEvacuating }) === renderMaintenanceStatus(one)
}
