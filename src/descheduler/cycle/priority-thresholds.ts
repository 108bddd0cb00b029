import type { PriorityThreshold, Profile } from '../policy/policy.ts'

/** System-critical priorities begin here; a threshold beyond would protect no other pods. */
export const thresholdMax = 2_000_000_000

/** Values of PriorityClasses by name; undefined: there is no such class. */
export type PriorityValues = ReadonlyMap<string, number | undefined>

/** What each named threshold lacks, in words. */
export function thresholdProblems(profiles: readonly Profile[], values: PriorityValues): readonly string[] {
  return profiles.flatMap(({ name: profile, defaultEvictor: { priorityThreshold } }) => {
    if (priorityThreshold === undefined || !('name' in priorityThreshold)) return []
    const { name } = priorityThreshold
    const where = `profile ${profile}, plugin DefaultEvictor: args.priorityThreshold.name is ${JSON.stringify(name)}`
    const value = values.get(name)
    if (value === undefined) return [`${where}: there is no such PriorityClass`]
    return value > thresholdMax ? [`${where}: its value is ${value}; must be at most ${thresholdMax}`] : []
  })
}

export function valueOf(threshold: PriorityThreshold | undefined, values: PriorityValues): number | undefined {
  if (threshold === undefined) return undefined
  return 'name' in threshold ? values.get(threshold.name) : threshold.value
}
