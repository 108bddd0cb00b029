import type { New } from '../../api/kubernetes/meta.ts'
import Value from 'typebox/value'
import { withDefaultDrainPlan, type DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import { nodeMaintenanceType, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import type { NodeSelector } from '../../api/kubernetes/node-selector.ts'
import { mayFollow, stages, type Stage } from '../../api/maintenance/stage.ts'
import { labels } from '../../api/names.ts'
import { CommandError, exitCodes } from '../output/errors.ts'
import { sameSelector } from './selector.ts'

/** What the user asks for with `drain` or `cordon`. */
export interface WantedMaintenance {
  readonly stage: 'Cordon' | 'Drain'
  readonly nodeSelector: NodeSelector
  /** The nodes that it selects now; the first is in the name. */
  readonly nodes: readonly string[]
  /** Instead of a name made of the nodes. */
  readonly name?: string | undefined
  readonly reason?: string | undefined
  readonly plan?: readonly DrainPlanEntry[] | undefined
  /** The name of the drain that it is one of, as a label. */
  readonly drain?: string | undefined
}

export type Start =
  | { readonly kind: 'create'; readonly object: New<NodeMaintenance> }
  /** There is one for these nodes already. Without changes it is as far as it should be. */
  | {
      readonly kind: 'attach'
      readonly maintenance: NodeMaintenance
      readonly changes: { readonly stage?: Stage; readonly reason?: string }
    }

export const nameLengthMax = 253

/** One for the same nodes that is not over continues; only without one a new one begins. */
export function decideStart(wanted: WantedMaintenance, existing: readonly NodeMaintenance[]): Start {
  const families = wanted.name === undefined ? nameFamilies(wanted) : [wanted.name]
  const found = existing
    .filter((maintenance) => !isOver(maintenance))
    .filter(({ metadata }) => families.some((base) => isOfFamily(metadata.name, base)))
    .find(({ spec }) => sameSelector(spec.nodeSelector, wanted.nodeSelector))
  if (found !== undefined) return attach(wanted, found)
  const taken = takenNames(existing)
  const name = freeName(wanted.name ?? maintenanceName(wanted.stage, wanted.nodes), taken)
  return { kind: 'create', object: build(wanted, name) }
}

/** `drain-node-1`, `drain-node-1-and-4-more`. */
export function maintenanceName(stage: WantedMaintenance['stage'], nodes: readonly string[]): string {
  const [first = '', ...more] = nodes
  return `${stage.toLowerCase()}-${first}${more.length > 0 ? `-and-${more.length}-more` : ''}`
}

/** A drain continues what a cordon of the same nodes began, whichever of them was named first. */
function nameFamilies({ nodes }: WantedMaintenance): string[] {
  return nodes.flatMap((first) => {
    const named = [first, ...nodes.filter((other) => other !== first)]
    return [maintenanceName('Drain', named), maintenanceName('Cordon', named)]
  })
}

/** Of maintenances and of drains: a user calls both by their names. */
export function takenNames(existing: readonly NodeMaintenance[]): Set<string> {
  return new Set(existing.flatMap((maintenance) => [maintenance.metadata.name, drainOf(maintenance) ?? []].flat()))
}

/** The drain that it is one of; undefined: it stands alone. */
export function drainOf({ metadata }: NodeMaintenance): string | undefined {
  return metadata.labels?.[labels.drain]
}

export function isOfFamily(name: string, base: string): boolean {
  return name === cut(base, '') || new RegExp(`^${RegExp.escape(cut(base, '-99'))}-\\d+$`, 'u').test(name)
}

export function freeName(base: string, taken: ReadonlySet<string>, lengthMax = nameLengthMax): string {
  for (let number = 1; ; number++) {
    const suffix = number === 1 ? '' : `-${number}`
    const name = `${cut(base, suffix, lengthMax)}${suffix}`
    if (!taken.has(name)) return name
  }
}

/** A name ends with a letter or a digit. */
export function cut(base: string, suffix: string, lengthMax = nameLengthMax): string {
  return base.slice(0, lengthMax - suffix.length).replace(/[^a-z0-9]+$/u, '')
}

export function isOver({ metadata, spec }: NodeMaintenance): boolean {
  return spec.stage === 'Complete' || metadata.deletionTimestamp !== undefined
}

export function attach(wanted: WantedMaintenance, maintenance: NodeMaintenance): Start {
  const { spec, metadata } = maintenance
  if (wanted.plan !== undefined && !samePlan(wanted.plan, spec.drainPlan)) {
    throw new CommandError(
      `${metadata.name} is there for the same nodes with another drain plan, which cannot change`,
      {
        advice: `Leave out --plan to continue with it, or undo it first with \`lifeboat cancel ${metadata.name}\`.`,
        exitCode: exitCodes.usage,
      },
    )
  }
  const movesOn = stages.indexOf(spec.stage) < stages.indexOf(wanted.stage) && mayFollow(spec.stage, wanted.stage)
  const isReasonNew = wanted.reason !== undefined && wanted.reason !== spec.reason
  const changes = {
    ...(movesOn ? { stage: wanted.stage } : {}),
    ...(isReasonNew ? { reason: wanted.reason } : {}),
  }
  return { kind: 'attach', maintenance, changes }
}

/** The stored one has the default entries. */
function samePlan(wanted: readonly DrainPlanEntry[], stored: readonly DrainPlanEntry[] | undefined): boolean {
  return Value.Equal(withDefaultDrainPlan(wanted), withDefaultDrainPlan(stored))
}

export function build(
  { stage, nodeSelector, reason, plan, drain }: WantedMaintenance,
  name: string,
): New<NodeMaintenance> {
  return {
    ...nodeMaintenanceType,
    metadata: { name, ...(drain === undefined ? {} : { labels: { [labels.drain]: drain } }) },
    spec: {
      nodeSelector,
      stage,
      ...(reason === undefined ? {} : { reason }),
      ...(plan === undefined ? {} : { drainPlan: structuredClone(plan) }),
    },
  }
}
