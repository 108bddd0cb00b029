import { defaultDrainPlan } from '../../api/maintenance/drain-plan.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import type { ObjectMeta } from '../../api/kubernetes/meta.ts'
import { finalizers } from '../../api/names.ts'
import { isCompleted, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { matchesNodeSelector } from '../../api/kubernetes/node-selector.ts'
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

/** Which maintenances hold which node. */
export class Covers {
  #active: readonly ActiveMaintenance[] = []
  readonly #planned = new Map<string, { readonly planText: string; readonly planned: DrainingMaintenance }>()
  #known = new Map<string, Cover>()

  set(maintenances: readonly NodeMaintenance[]): void {
    const active = maintenances.filter(isActive).map((object) => ({
      object,
      drains: object.spec.stage === 'Drain',
      planned: this.#plan(object),
    }))
    this.#active = active.toSorted((a, b) => byAge(a.planned, b.planned))
    this.#known = new Map()
    const uids = new Set(active.map(({ object }) => object.metadata.uid))
    for (const uid of this.#planned.keys()) if (!uids.has(uid)) this.#planned.delete(uid)
  }

  get active(): readonly ActiveMaintenance[] {
    return this.#active
  }

  /** Undefined: it does not hold nodes. */
  plannedOf({ metadata }: NodeMaintenance): DrainingMaintenance | undefined {
    return this.#planned.get(metadata.uid)?.planned
  }

  of(node: Node): Cover {
    if (this.#active.length === 0) return noCover
    const active = this.#active.filter(({ object }) => matchesNodeSelector(object.spec.nodeSelector, node))
    if (active.length === 0) return noCover
    const key = active.map(({ object }) => object.metadata.uid).join(' ')
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const cover = { active, draining: active.filter(({ drains }) => drains).map(({ planned }) => planned) }
    this.#known.set(key, cover)
    return cover
  }

  #plan(object: NodeMaintenance): DrainingMaintenance {
    const { uid, name, creationTimestamp = '' } = object.metadata
    const plan = planOf(object)
    const planText = JSON.stringify(plan)
    const known = this.#planned.get(uid)
    if (known?.planText === planText) return known.planned
    const planned = { name, createdMs: Date.parse(creationTimestamp), plan }
    this.#planned.set(uid, { planText, planned })
    return planned
  }
}
