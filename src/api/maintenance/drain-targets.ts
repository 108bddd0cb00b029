import type { DrainPlanEntry } from './drain-plan.ts'
import type { Pod } from '../kubernetes/core.ts'
import type { Anonymous } from '../kubernetes/meta.ts'
import { matchesLabelSelector } from '../kubernetes/label-selector.ts'
import { podTypeOf, type PodType } from './pod-type.ts'

/** Pods up to a priority, of one type, possibly with certain labels. Targets have the shape of plan entries. */
export type DrainTarget = DrainPlanEntry

export function matchesDrainTargets(pod: Anonymous<Pod>, targets: readonly DrainTarget[]): boolean {
  return targets.some((target) => matchesDrainTarget(pod, target))
}

export function matchesDrainTarget(pod: Anonymous<Pod>, target: DrainTarget): boolean {
  return selectsPod(target, { pod, podType: podTypeOf(pod), podPriority: podPriorityOf(pod) })
}

/** The same for who looks at many entries and knows the pod's type and priority already. */
export function selectsPod(
  target: DrainTarget,
  known: { readonly pod: Anonymous<Pod>; readonly podType: PodType; readonly podPriority: number },
): boolean {
  return (
    known.podType === target.podType &&
    known.podPriority <= target.podPriority &&
    (target.podSelector === undefined || matchesLabelSelector(target.podSelector, known.pod.metadata.labels))
  )
}

/** A pod without priority has priority 0: the cluster has no default class then. */
export function podPriorityOf(pod: Anonymous<Pod>): number {
  return pod.spec?.priority ?? 0
}
