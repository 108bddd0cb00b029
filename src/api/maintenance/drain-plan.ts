import Type from 'typebox'
import Value from 'typebox/value'
import { labelSelectorSchema } from '../kubernetes/label-selector.ts'
import { podTypes } from './pod-type.ts'
import { rules, type Rule } from '../schema/rule.ts'
import { int32, integer, oneOf, type Described } from '../schema/schema.ts'

/** 52 of one's own, and the twelve default entries. */
export const drainPlanLengthMax = 64

export const drainPlanEntrySchema = Type.Object(
  {
    podSelector: Type.Optional(
      labelSelectorSchema('Selects among the pods of this type and priority by their labels; all of them if left out.'),
    ),
    podPriority: integer({ description: 'Pods of this priority and below are selected.', ...int32 }),
    podType: oneOf(podTypes, {
      description: 'Static: mirrors of static pods. DaemonSet: pods of DaemonSets. Default: all others.',
      default: 'Default',
    }),
  },
  { description: 'A step of the drain: which pods leave.', 'x-kubernetes-map-type': 'atomic' },
)

export type DrainPlanEntry = Described<typeof drainPlanEntrySchema>
/** Default, DaemonSet, Static; within a type the lowest priority first; of equals those with a selector first. */
export function byDrainOrder(a: DrainPlanEntry, b: DrainPlanEntry): number {
  if (a.podType !== b.podType) return podTypes.indexOf(a.podType) - podTypes.indexOf(b.podType)
  if (a.podPriority !== b.podPriority) return a.podPriority - b.podPriority
  return Number(a.podSelector === undefined) - Number(b.podSelector === undefined)
}

export function sameDrainPlanEntry(a: DrainPlanEntry, b: DrainPlanEntry): boolean {
  return Value.Equal(a, b)
}

export function sameDrainPlan(a: readonly DrainPlanEntry[], b: readonly DrainPlanEntry[]): boolean {
  return Value.Equal(a, b)
}

/** The highest of user-defined classes, the two system classes, and everything. */
const defaultPriorities = [1_000_000_000, 2_000_000_000, 2_000_001_000, int32.maximum]

/** With these at the end of every type, a plan always ends with all pods gone. */
export const defaultDrainPlan: readonly DrainPlanEntry[] = podTypes.flatMap((podType) =>
  defaultPriorities.map((podPriority) => ({ podPriority, podType })),
)

/** The plan with the default entries that it lacks. Entries that were there keep their order among themselves. */
export function withDefaultDrainPlan(plan: readonly DrainPlanEntry[] = []): DrainPlanEntry[] {
  const missing = defaultDrainPlan.filter((entry) => !plan.some((given) => sameDrainPlanEntry(given, entry)))
  return mergeInDrainOrder(plan, missing)
}

/** Puts each addition before the first entry that has to come after it; a plan in wrong order stays so, to be refused. */
function mergeInDrainOrder(plan: readonly DrainPlanEntry[], additions: readonly DrainPlanEntry[]): DrainPlanEntry[] {
  const merged = [...plan]
  for (const addition of additions) {
    const index = merged.findIndex((entry) => byDrainOrder(entry, addition) > 0)
    merged.splice(index === -1 ? merged.length : index, 0, addition)
  }
  return merged
}

/** One number that grows with the order: podPriority has 32 bits, the type comes above them, the selector below. */
const rank =
  "(e.podType == 'Default' ? 0 : e.podType == 'DaemonSet' ? 1 : 2) * 10000000000 + e.podPriority * 2 + (has(e.podSelector) ? 0 : 1)"

const inDrainOrder: Rule<readonly DrainPlanEntry[]> = {
  rule: `self.map(e, ${rank}).isSorted()`,
  message:
    'entries must be in the order Default, DaemonSet, Static; of one type by ascending podPriority; of one priority those with a podSelector first',
  holds: (self) => self.every((entry, index) => byDrainOrder(self[index - 1] ?? entry, entry) <= 0),
}

const noEntryTwice: Rule<readonly DrainPlanEntry[]> = {
  // Numbers first: comparing selectors is what costs.
  rule: 'self.all(e, self.exists_one(f, f.podPriority == e.podPriority && f.podType == e.podType && (has(e.podSelector) ? has(f.podSelector) && f.podSelector == e.podSelector : !has(f.podSelector))))',
  // Without a reason of its own: the API server words duplicates itself and would drop the message.
  message: 'no entry may be there twice',
  holds: (self) => self.every((entry) => self.filter((other) => sameDrainPlanEntry(entry, other)).length === 1),
}

const drainPlanStays: Rule<readonly DrainPlanEntry[]> = {
  rule: 'oldSelf.size() == 0 || self == oldSelf',
  message: 'drainPlan is immutable once set',
  holds: (self, oldSelf) => oldSelf.length === 0 || sameDrainPlan(self, oldSelf),
}

export const drainPlanSchema = Type.Array(drainPlanEntrySchema, {
  description:
    'The steps of the Drain stage, first to last. Order: podType Default, DaemonSet, Static; within a type by ascending podPriority; at the same priority entries with a podSelector before the one without. No entry may be there twice. Twelve default entries are added on creation where they are missing, so that all pods leave in the end. Immutable once set.',
  maxItems: drainPlanLengthMax,
  'x-kubernetes-list-type': 'atomic',
  ...rules<readonly DrainPlanEntry[]>(inDrainOrder, noEntryTwice, drainPlanStays),
})
