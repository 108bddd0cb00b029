import { isDeepStrictEqual } from 'node:util'
import { defaultDrainPlan } from '../../api/maintenance/drain-plan.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import type { ObjectMeta } from '../../api/kubernetes/meta.ts'
import { finalizers } from '../../api/names.ts'
import { isCompleted, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector, namesIn } from '../../api/kubernetes/node-selector.ts'
import { podTypes } from '../../api/maintenance/pod-type.ts'
import { isActiveStage } from '../../api/maintenance/stage.ts'
import { byAge, type DrainingMaintenance } from './standing.ts'

/** A maintenance that holds the nodes that it selects. */
export interface ActiveMaintenance {
  readonly object: NodeMaintenance
  readonly drains: boolean
  /** The same object as long as the plan is the same. */
  readonly planned: DrainingMaintenance
}

/** The maintenances of a node, oldest first. Nodes with the same ones get the same object. */
export interface Cover {
  readonly active: readonly ActiveMaintenance[]
  readonly draining: readonly DrainingMaintenance[]
}

export const noCover: Cover = { active: [], draining: [] }

/**
 * Not before it has its finalizer: deleted, it would leave the nodes cordoned. One that lost it, by `kubectl replace` with
 * a manifest that lacks it, stays active and gets it back. Not once it is being deleted: that completes it.
 */
export function isActive({ metadata, spec, status }: NodeMaintenance): boolean {
  const hasBegun = status?.stageStatuses?.some(({ name }) => isActiveStage(name)) ?? false
  const isHolding = isHeld(metadata) || hasBegun
  return isActiveStage(spec.stage) && metadata.deletionTimestamp === undefined && isHolding
}

/** It cannot go before it is completed. */
export function isHeld({ finalizers: holders }: ObjectMeta): boolean {
  return holders?.includes(finalizers.maintenanceCompletion) ?? false
}

/** Not over yet. Planned ones too: they say how many nodes they select. */
export function isUnderWay(maintenance: NodeMaintenance): boolean {
  return isHeld(maintenance.metadata) || !isCompleted(maintenance)
}

/** A plan that admission has not completed still ends with every pod gone. */
export function planOf({ spec }: NodeMaintenance): DrainingMaintenance['plan'] {
  const { drainPlan = [] } = spec
  if (drainPlan.length === 0) return defaultDrainPlan
  const last = defaultDrainPlan.at(-1)?.podPriority ?? 0
  return podTypes.flatMap((podType) => {
    const own = drainPlan.filter((entry) => entry.podType === podType)
    const isComplete = own.some((entry) => entry.podPriority === last && entry.podSelector === undefined)
    return isComplete ? own : own.concat({ podType, podPriority: last })
  })
}

/** Which maintenances hold which node. What a maintenance costs here follows from the nodes that it may select. */
export class Covers {
  readonly #active = new Map<string, ActiveMaintenance>()
  /** Those that give their nodes by name, by these names. */
  readonly #byNode = new Map<string, Set<ActiveMaintenance>>()
  readonly #anywhere = new Set<ActiveMaintenance>()
  readonly #known = new Map<string, Cover>()

  /** As it is now. */
  put(object: NodeMaintenance): void {
    const before = this.#active.get(object.metadata.uid)
    this.remove(object)
    if (!isActive(object)) return
    const active = { object, drains: object.spec.stage === 'Drain', planned: plannedAs(object, before?.planned) }
    this.#active.set(object.metadata.uid, active)
    const names = namesIn(object.spec.nodeSelector)
    if (names === undefined) this.#anywhere.add(active)
    for (const name of names ?? []) {
      const known = this.#byNode.get(name)
      if (known === undefined) this.#byNode.set(name, new Set([active]))
      else known.add(active)
    }
  }

  remove({ metadata: { uid } }: NodeMaintenance): void {
    const active = this.#active.get(uid)
    if (active === undefined) return
    this.#active.delete(uid)
    this.#anywhere.delete(active)
    for (const name of namesIn(active.object.spec.nodeSelector) ?? []) {
      const known = this.#byNode.get(name)
      known?.delete(active)
      if (known?.size === 0) this.#byNode.delete(name)
    }
    for (const [key, cover] of this.#known) if (cover.active.includes(active)) this.#known.delete(key)
  }

  /** Undefined: it does not hold nodes. */
  plannedOf({ metadata }: NodeMaintenance): DrainingMaintenance | undefined {
    return this.#active.get(metadata.uid)?.planned
  }

  of(node: Node): Cover {
    if (this.#active.size === 0) return noCover
    const active = [...(this.#byNode.get(node.metadata.name) ?? []), ...this.#anywhere]
      .filter(({ object }) => matchesNodeSelector(object.spec.nodeSelector, node))
      .toSorted((a, b) => byAge(a.planned, b.planned))
    if (active.length === 0) return noCover
    const key = active.map(({ object }) => object.metadata.uid).join(' ')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const cover = { active, draining: active.filter(({ drains }) => drains).map(({ planned }) => planned) }
    this.#known.set(key, cover)
    return cover
  }
}

function plannedAs(object: NodeMaintenance, before: DrainingMaintenance | undefined): DrainingMaintenance {
  const plan = planOf(object)
  if (before !== undefined && isDeepStrictEqual(before.plan, plan)) return before
  const { name, creationTimestamp = '' } = object.metadata
  return { name, createdMs: Date.parse(creationTimestamp), plan }
}
