import type { Policy } from './policy/policy.ts'

/** What of the cluster a policy looks at beside its nodes and pods: nothing else is watched. */
export interface Needs {
  readonly namespaces: boolean
  readonly budgets: boolean
  readonly claims: boolean
  /** Those of pods. */
  readonly conditions: boolean
  /** PriorityClasses that a priorityThreshold names. */
  readonly priorityClasses: readonly string[]
}

export function needsOf({ profiles }: Policy): Needs {
  const evictors = profiles.map(({ defaultEvictor }) => defaultEvictor)
  const names = evictors.flatMap(({ priorityThreshold }) =>
    priorityThreshold !== undefined && 'name' in priorityThreshold ? [priorityThreshold.name] : [],
  )
  return {
    namespaces: evictors.some(({ namespaceLabelSelector }) => namespaceLabelSelector !== undefined),
    budgets: evictors.some(({ protections }) => protections.has('PodsWithoutPDB')),
    claims: evictors.some(
      ({ protections, protectedStorageClasses = [] }) =>
        protections.has('PodsWithPVC') && protectedStorageClasses.length > 0,
    ),
    conditions: profiles.some(({ deschedule }) =>
      deschedule.some(({ name, args }) => name === 'PodLifeTime' && (args.conditions ?? []).length > 0),
    ),
    priorityClasses: [...new Set(names)].toSorted(),
  }
}
