import { blockedBy } from '../../src/api/blocker/blocked-by.ts'
import { blockerReason, renderBlocker, type Blocker } from '../../src/api/blocker/blocker.ts'
import type { Evacuation } from '../../src/api/evacuation/evacuation.ts'
import { evacuationConditions, newEvacuationStatus } from '../../src/api/evacuation/evacuation.ts'
import type { Node } from '../../src/api/kubernetes/core.ts'
import { timestamp } from '../../src/api/kubernetes/timestamp.ts'
import { renderMaintenanceStatus } from '../../src/api/maintenance/maintenance-status.ts'
import { annotations, labels } from '../../src/api/names.ts'
import {
  drainedCondition,
  newNodeMaintenanceStatus,
  nodeMaintenanceType,
  type NodeMaintenance,
} from '../../src/api/maintenance/node-maintenance.ts'
import type { Stage } from '../../src/api/maintenance/stage.ts'
import { noHistory } from '../../src/cli/view/drain-history.ts'
import type { DrainView } from '../../src/cli/view/drain-picture.ts'
import { selectNodes } from './maintenance.ts'
import { storedMeta } from './stored.ts'

// What the live view looks at, as the controllers write it.

export interface NodeLook {
  readonly name: string
  readonly pending?: number
  readonly evacuating?: number
  readonly message?: string
  /** It is cordoned and no more. */
  readonly isCordoned?: boolean
}

export function buildDrainedNode({ name, pending = 0, evacuating = 0, message, isCordoned = false }: NodeLook): Node {
  const words = pending + evacuating > 0 ? 'Evacuating' : 'Drained'
  const status = renderMaintenanceStatus({
    drainTargets: isCordoned ? [] : [{ podPriority: 1_000_000_000, podType: 'Default' }],
    drainMessage: isCordoned ? '' : (message ?? words),
    podsPendingEvacuation: pending,
    podsEvacuating: evacuating,
  })
  return {
    metadata: storedMeta({
      name,
      labels: { [labels.underMaintenance]: 'true' },
      annotations: { [annotations.maintenanceStatus]: status },
    }),
    spec: { unschedulable: true },
  }
}

export interface EvacuationLook {
  readonly pod: string
  readonly node: string
  readonly blocker?: { readonly kind: Blocker['kind'] } & Readonly<Record<string, unknown>>
  /** Words of a third party, without a type. */
  readonly words?: string
  readonly expectedAtMs?: number
}

let uids = 0

export function buildEvacuation({ pod, node, blocker, words, expectedAtMs }: EvacuationLook): Evacuation {
  const uid = `00000000-0000-4000-8000-${String(++uids).padStart(12, '0')}`
  const typed =
    blocker === undefined ? undefined : ({ pod: { namespace: 'shop', name: pod, uid }, ...blocker } as Blocker)
  const message = typed === undefined ? words : renderBlocker(typed)
  const condition = {
    type: evacuationConditions.blocked,
    status: 'True' as const,
    reason: typed === undefined ? 'Other' : blockerReason(typed),
    message: message ?? '',
    lastTransitionTime: timestamp(0),
  }
  return {
    metadata: storedMeta({
      name: `${uid}-${pod}`,
      namespace: 'shop',
      annotations: { [annotations.evacuatedFrom]: node },
    }),
    spec: { podRef: { name: pod, uid }, progressDeadlineSeconds: 1_800 },
    status: {
      ...newEvacuationStatus,
      ...(message === undefined ? {} : { conditions: [condition] }),
      ...(typed === undefined ? {} : { blockedBy: [blockedBy(typed)] }),
      ...(expectedAtMs === undefined ? {} : { expectedEvacuationFinishTime: timestamp(expectedAtMs) }),
    },
  }
}

export interface MaintenanceLook {
  readonly name?: string
  /** The drain that it is one of. */
  readonly drain?: string
  readonly stage?: Stage
  readonly reason?: string
  readonly nodes?: readonly string[]
  readonly beganMs?: number
  readonly drainedMs?: number
}

export function buildMaintenance(look: MaintenanceLook = {}): NodeMaintenance {
  const { name = 'drain-a', stage = 'Drain', reason, nodes = ['node-1'], beganMs = 0, drainedMs, drain } = look
  const condition = {
    type: drainedCondition,
    status: 'True' as const,
    reason: 'Drained',
    message: 'Drained',
    lastTransitionTime: timestamp(drainedMs ?? 0),
  }
  return {
    ...nodeMaintenanceType,
    metadata: storedMeta({
      name,
      creationTimestamp: timestamp(beganMs),
      ...(drain === undefined ? {} : { labels: { [labels.drain]: drain } }),
    }),
    spec: { nodeSelector: selectNodes(...nodes), stage, ...(reason === undefined ? {} : { reason }) },
    status: {
      ...newNodeMaintenanceStatus,
      drainStatus: { ...newNodeMaintenanceStatus.drainStatus, nodesTotal: nodes.length },
      stageStatuses: [{ name: stage, startTimestamp: timestamp(beganMs) }],
      ...(drainedMs === undefined ? {} : { conditions: [condition] }),
    },
  }
}

export function buildDrainView(
  look: MaintenanceLook & {
    readonly looks?: readonly NodeLook[]
    readonly evacuations?: readonly EvacuationLook[]
    readonly view?: Partial<DrainView>
  } = {},
): DrainView {
  const { looks = [], evacuations = [], view = {}, ...maintenance } = look
  const names = looks.map(({ name }) => name)
  return {
    maintenance: buildMaintenance({ nodes: names, ...maintenance }),
    nodes: looks.map(buildDrainedNode),
    expectedNodes: [],
    evacuations: evacuations.map(buildEvacuation),
    history: noHistory,
    sinceMs: 0,
    ...view,
  }
}
