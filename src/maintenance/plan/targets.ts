import type { DrainPlanEntry } from '../../api/maintenance/drain-plan.ts'
import type { DrainTarget } from '../../api/maintenance/drain-targets.ts'
import { drainTargetsMax } from '../../api/maintenance/maintenance-status.ts'
import { podTypes } from '../../api/maintenance/pod-type.ts'
import { bothSelectors, isWithinSelector, selectorText } from './selectors.ts'

/**
 * Which pods are to leave: those within any of the targets. In the form that `canonical` gives: for each type and
 * selector at most one target, sorted. Equal ones are almost always the same array, which makes comparing cheap.
 */
export type Targets = readonly DrainTarget[]

type Target = Targets[number]

const known = new Map<string, Targets>()
/** Clusters have few different targets at a time; a long life has many. */
const knownMax = 10_000

export const noTargets: Targets = canonical([])

/**
 * The targets of a plan whose entries up to `index` are reached (KEP-4212, 'PodTypes and Label Selectors Progression'):
 * every selector of the plan for a type that is reached has a target, not below the one without a selector.
 */
export function targetsOf(plan: readonly DrainPlanEntry[], index: number): Targets {
  const reached = new Set(plan.slice(0, index + 1))
  const levels = new Map<string, Target>()
  for (const entry of reached) raise(levels, entry)
  for (const { podType, podSelector } of plan) {
    const floor = levels.get(keyOf({ podType, podPriority: 0 }))
    if (podSelector !== undefined && floor !== undefined) raise(levels, { ...floor, podSelector })
  }
  return canonical([...levels.values()])
}

/** The pods that both target: on a shared node the least powerful of its maintenances rules. */
export function meet(one: Targets, other: Targets): Targets {
  if (one === other) return one
  const levels = new Map<string, Target>()
  const combined: Target[] = []
  for (const a of one) {
    for (const b of other) {
      if (a.podType !== b.podType) continue
      const target = { podType: a.podType, podPriority: Math.min(a.podPriority, b.podPriority) }
      const isNew = a.podSelector !== undefined && b.podSelector !== undefined && keyOf(a) !== keyOf(b)
      if (!isNew) raise(levels, { ...target, ...selecting(a.podSelector ?? b.podSelector) })
      else {
        const podSelector = bothSelectors(a.podSelector, b.podSelector)
        // Nothing matches both, or more labels than a selector may have: less is targeted then, which is always safe.
        if (podSelector !== undefined) combined.push({ ...target, podSelector })
      }
    }
  }
  for (const target of combined) {
    if (![...levels.values()].some((level) => isWithin(target, level))) raise(levels, target)
  }
  return canonical([...levels.values()])
}

/** The pods that either targets: what a node has reached stays reached. Of more than a node can hold the first stay. */
export function join(reached: Targets, more: Targets): Targets {
  if (reached === more) return reached
  const levels = new Map<string, Target>()
  for (const target of reached) raise(levels, target)
  for (const target of more) {
    if (levels.size < drainTargetsMax || levels.has(keyOf(target))) raise(levels, target)
  }
  for (const target of levels.values()) {
    const floor = levels.get(keyOf({ podType: target.podType, podPriority: 0 }))
    if (floor !== undefined) raise(levels, { ...target, podPriority: floor.podPriority })
  }
  return canonical([...levels.values()])
}

/** Whether every pod that is within the `less` is within the `more`. */
export function covers(more: Targets, less: Targets): boolean {
  return more === less || less.every((target) => more.some((other) => isWithin(target, other)))
}

function isWithin(target: Target, other: Target): boolean {
  return (
    target.podType === other.podType &&
    target.podPriority <= other.podPriority &&
    isWithinSelector(target.podSelector, other.podSelector)
  )
}

/** The form that all targets here have. */
export function canonical(targets: readonly Target[]): Targets {
  const sorted = targets.map(({ podPriority, podType, podSelector }) => ({
    podPriority,
    podType,
    ...selecting(podSelector),
  }))
  sorted.sort(
    (a, b) =>
      podTypes.indexOf(a.podType) - podTypes.indexOf(b.podType) ||
      compare(selectorText(a.podSelector), selectorText(b.podSelector)),
  )
  const text = sorted.map((target) => `${keyOf(target)} ${target.podPriority}`).join('\n')
  const same = known.get(text)
  if (same !== undefined) return same
  if (known.size >= knownMax) known.clear()
  known.set(text, sorted)
  return sorted
}

function raise(levels: Map<string, Target>, target: Target): void {
  const key = keyOf(target)
  const before = levels.get(key)
  if (before === undefined || before.podPriority < target.podPriority) levels.set(key, target)
}

function keyOf({ podType, podSelector }: Target): string {
  return `${podType} ${selectorText(podSelector)}`
}

function selecting(podSelector: Target['podSelector']): { podSelector?: NonNullable<Target['podSelector']> } {
  return podSelector === undefined ? {} : { podSelector }
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
