import type { Evacuation, EvacuationStatus } from '../../src/api/evacuation/evacuation.ts'
import { newEvacuationStatus } from '../../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import type { Node, Pod } from '../../src/api/kubernetes/core.ts'
import type { Condition, NamespacedMeta, ObjectMeta } from '../../src/api/kubernetes/meta.ts'
import { renderMaintenanceStatus, type MaintenanceStatus } from '../../src/api/maintenance/maintenance-status.ts'
import { annotations } from '../../src/api/names.ts'
import {
  newNodeMaintenanceStatus,
  type NodeMaintenance,
  type NodeMaintenanceStatus,
} from '../../src/api/maintenance/node-maintenance.ts'
import type { Stage } from '../../src/api/maintenance/stage.ts'
import { withDefaultDrainPlan } from '../../src/api/maintenance/drain-plan.ts'
import { selectNodes } from './maintenance.ts'
import { stored, storedMeta } from './stored.ts'

// What `lifeboat why` looks at, as built objects: the node is called six, its pods are in the namespace shop.

export function nodeOf(nodeAnnotations: Record<string, string> = {}): Node {
  return stored<Node>({ metadata: { name: 'six', annotations: nodeAnnotations } })
}

export function maintenanceStatusAnnotation(status: Partial<MaintenanceStatus>): Record<string, string> {
  const drainTargets = [{ podPriority: 1_000_000_000, podType: 'Default' as const }]
  const text = renderMaintenanceStatus({
    drainTargets,
    drainMessage: 'Evacuating',
    podsPendingEvacuation: 0,
    podsEvacuating: 0,
    ...status,
  })
  return { [annotations.maintenanceStatus]: text }
}

export interface MaintenanceOptions {
  readonly name?: string
  readonly node?: string
  readonly stage?: Stage
  readonly reason?: string
  readonly createdAt?: string
  readonly deletedAt?: string
  readonly conditions?: Condition[]
  readonly status?: Partial<NodeMaintenanceStatus>
}

export function maintenanceOf(options: MaintenanceOptions = {}): NodeMaintenance {
  const { name = 'os-upgrade', node = 'six', stage = 'Drain', createdAt = '2026-08-01T10:00:00Z' } = options
  const { reason, deletedAt, conditions, status } = options
  return {
    metadata: storedMeta({
      name,
      creationTimestamp: createdAt,
      ...(deletedAt === undefined ? {} : { deletionTimestamp: deletedAt }),
    }),
    spec: {
      stage,
      nodeSelector: selectNodes(node),
      drainPlan: withDefaultDrainPlan(),
      ...(reason === undefined ? {} : { reason }),
    },
    status: { ...newNodeMaintenanceStatus, ...(conditions === undefined ? {} : { conditions }), ...status },
  }
}

export function podOf(metadata: Partial<NamespacedMeta> = {}, spec: Partial<NonNullable<Pod['spec']>> = {}): Pod {
  return {
    metadata: { namespace: 'shop', name: 'web-0', uid: 'uid-0', resourceVersion: '1', ...metadata },
    spec: { nodeName: 'six', containers: [], ...spec },
  }
}

export function daemonSetOwner(): Pick<ObjectMeta, 'ownerReferences'> {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: 'uid-of-logs', controller: true }
  return { ownerReferences: [owner] }
}

export function evacuationOf(
  status: Partial<EvacuationStatus> = {},
  extra: Partial<Evacuation['spec']> = {},
): Evacuation {
  const podRef = { name: 'web-0', uid: 'uid-0' }
  return {
    metadata: storedMeta({
      namespace: 'shop',
      name: evacuationName(podRef),
      creationTimestamp: '2026-08-01T11:50:00Z',
      finalizers: ['evacuation.coordination.k8s.io/instigator_nodemaintenance.k8s.io'],
    }),
    spec: { podRef, progressDeadlineSeconds: 1_800, ...extra },
    status: { ...newEvacuationStatus, ...status },
  }
}

export function blockedCondition(reason: string, message: string): Condition {
  return { type: 'Blocked', status: 'True', reason, message, lastTransitionTime: '2026-08-01T11:55:00Z' }
}
