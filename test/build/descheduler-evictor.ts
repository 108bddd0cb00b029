import type { CycleState } from '../../src/descheduler/cycle/cycle-state.ts'
import { createEvictor, type EvictorParts } from '../../src/descheduler/evictor/default-evictor.ts'
import type { Evictor, Outcome } from '../../src/descheduler/plugin.ts'
import { defaultProtections, type DefaultEvictorArgs, type Limits } from '../../src/descheduler/policy/policy.ts'
import { SchedulerRules } from '../../src/descheduler/scheduler-fit/scheduler-rules.ts'
import type { NodeView, PodView } from '../../src/descheduler/view.ts'
import { nowMs } from './descheduler-view.ts'

/** DefaultEvictor as it is without any args. */
export function evictorArgs(choices: Partial<DefaultEvictorArgs> = {}): DefaultEvictorArgs {
  return {
    protections: new Set(defaultProtections),
    protectedStorageClasses: undefined,
    nodeSelector: undefined,
    labelSelector: undefined,
    namespaceLabelSelector: undefined,
    priorityThreshold: undefined,
    nodeFit: false,
    minReplicas: 0,
    minPodAgeMs: undefined,
    noEvictionPolicy: 'Preferred',
    ...choices,
  }
}

type Surroundings = Partial<Omit<EvictorParts['view'], 'nodes'>> &
  Partial<Omit<EvictorParts, 'view' | 'state' | 'schedulerRules'>> & {
    readonly nodeFitAsScheduler?: boolean
  }

/** DefaultEvictor with the given args, for the state of a cycle. */
export function defaultEvictor(
  choices: Partial<DefaultEvictorArgs> = {},
  { priorityThreshold, isByEvacuation = false, nodeFitAsScheduler = false, ...view }: Surroundings = {},
): (state: CycleState, nodes: readonly NodeView[]) => Evictor {
  return (state, nodes) => {
    const whole = { nowMs, nodes, namespaces: new Map(), budgets: [], storageClasses: new Map(), ...view }
    return createEvictor(evictorArgs(choices), {
      view: whole,
      state,
      priorityThreshold,
      isByEvacuation,
      schedulerRules: nodeFitAsScheduler ? new SchedulerRules(whole, state) : undefined,
    })
  }
}

/** Answers as a cycle with these limits does. */
export function limitedBy(limits: Partial<Limits>): (pod: PodView) => Outcome {
  const counts = new Map<string, number>()
  return ({ nodeName, namespace }) => {
    const kinds = [
      ['total', 'total', limits.total, 'totalLimit'],
      ['node', nodeName, limits.perNode, 'nodeLimit'],
      ['namespace', namespace, limits.perNamespace, 'namespaceLimit'],
    ] as const
    const keyOf = (kind: string, name: string) => `${kind} ${name}`
    for (const [kind, name, limit = Infinity, outcome] of kinds) {
      if ((counts.get(keyOf(kind, name)) ?? 0) + 1 > limit) return outcome
    }
    for (const [kind, name] of kinds) counts.set(keyOf(kind, name), (counts.get(keyOf(kind, name)) ?? 0) + 1)
    return 'leaves'
  }
}
