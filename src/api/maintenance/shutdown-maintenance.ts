import type { New } from '../kubernetes/meta.ts'
import { createHash } from 'node:crypto'
import Type from 'typebox'
import Value from 'typebox/value'
import type { GoingShutdown } from './agent-shutdown.ts'
import type { DrainPlanEntry } from './drain-plan.ts'
import { annotations, finalizers } from '../names.ts'
import { nodeMaintenanceType, type NodeMaintenance } from './node-maintenance.ts'
import { text, type Described } from '../schema/schema.ts'

// The NodeMaintenance that Lifeboat makes when the machine of a node is going down (KEP-4212, Graceful Node Shutdown).

const namePrefix = 'shutdown-'
const limits = { nameLengthMax: 253, hashLength: 10 } as const

const shutdownMarkSchema = Type.Object({
  node: text({ description: 'The node that goes down.', maxLength: limits.nameLengthMax }),
  /** As the agent calls it. */
  id: text({ description: 'Of the shutdown.', maxLength: 64 }),
  /** With another one the shutdown is over: the machine has been down since. */
  bootID: text({ description: 'Of the machine that goes down.', maxLength: 64 }),
  /** Pods that the kubelet left behind as Failed were removed. */
  cleaned: Type.Optional(Type.Literal(true)),
})

export type ShutdownMark = Described<typeof shutdownMarkSchema>

/** `shutdown-NODE`; of a name that is too long the begin and a hash of the whole. */
export function shutdownMaintenanceName(node: string): string {
  const name = `${namePrefix}${node}`
  if (name.length <= limits.nameLengthMax) return name
  const hash = createHash('sha256').update(node).digest('hex').slice(0, limits.hashLength)
  // A part of a name must not end in a dash or a dot.
  const begin = name.slice(0, limits.nameLengthMax - hash.length - 1).replace(/[-.]+$/, '')
  return `${begin}-${hash}`
}

/** Which node a maintenance with such a name would be for, whether or not Lifeboat made it. */
export function nodeOfShutdownName(name: string): string | undefined {
  return name.startsWith(namePrefix) ? name.slice(namePrefix.length) : undefined
}

export interface ShutdownMaintenanceChoices {
  /** A node that is deleted takes the maintenance along: machines that are gone for good would leave one each. */
  readonly nodeUid: string
  readonly going: GoingShutdown
  /** Empty: the default plan. */
  readonly drainPlan: readonly DrainPlanEntry[]
}

export function buildShutdownMaintenance(
  mark: ShutdownMark,
  { nodeUid, going, drainPlan }: ShutdownMaintenanceChoices,
): New<NodeMaintenance> {
  const matchFields = [{ key: 'metadata.name' as const, operator: 'In' as const, values: [mark.node] }]
  return {
    ...nodeMaintenanceType,
    metadata: {
      name: shutdownMaintenanceName(mark.node),
      annotations: { [annotations.shutdown]: renderShutdownMark(mark) },
      // From the start: deleted before it is drained, it still tells that an admin let the shutdown go.
      finalizers: [finalizers.shutdownCleanUp],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: mark.node, uid: nodeUid }],
    },
    spec: {
      nodeSelector: { nodeSelectorTerms: [{ matchFields }] },
      stage: 'Drain',
      reason: `${renderAction(going)} of node ${mark.node}`,
      ...(drainPlan.length === 0 ? {} : { drainPlan: [...drainPlan] }),
    },
  }
}

/** `reboot`; what is not a plain word comes from an agent that cannot be trusted to be shown. */
export function renderAction({ action }: Pick<GoingShutdown, 'action'>): string {
  return /^[a-z]+(-[a-z]+)*$/.test(action) ? action : 'shutdown'
}

export function renderShutdownMark({ node, id, bootID, cleaned }: ShutdownMark): string {
  return JSON.stringify({ node, id, bootID, ...(cleaned === undefined ? {} : { cleaned }) })
}

/** Undefined: Lifeboat did not make it for a shutdown. */
export function shutdownMarkOf({ metadata }: NodeMaintenance): ShutdownMark | undefined {
  const written = metadata.annotations?.[annotations.shutdown]
  if (written === undefined) return undefined
  try {
    const value: unknown = JSON.parse(written)
    if (!Value.Check(shutdownMarkSchema, value)) return undefined
    return metadata.name === shutdownMaintenanceName(value.node) ? value : undefined
  } catch {
    return undefined
  }
}

export function holdsForCleanUp({ metadata }: NodeMaintenance): boolean {
  return metadata.finalizers?.includes(finalizers.shutdownCleanUp) ?? false
}
