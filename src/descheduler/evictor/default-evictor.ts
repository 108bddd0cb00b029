import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { readyNodes } from '../fit/node-fit.ts'
import { NodeSearch, type EmptyingNodes } from '../fit/node-search.ts'
import { breath, type Evictor, type InBreaths, type Refusal } from '../plugin.ts'
import { isOwnedBy } from '../cycle/pods-listed.ts'
import type { DefaultEvictorArgs } from '../policy/policy.ts'
import { SchedulerFit } from '../scheduler-fit/scheduler-fit.ts'
import type { SchedulerRules } from '../scheduler-fit/scheduler-rules.ts'
import type { ClusterView, NodeView, PodView } from '../view.ts'
import { BudgetCoverage } from './budget-coverage.ts'
import { protectionRules, type Surroundings } from './protections.ts'

export interface EvictorParts {
  readonly view: Pick<ClusterView, 'nowMs' | 'nodes' | 'namespaces' | 'budgets' | 'storageClasses'>
  /** The cluster in the middle of the cycle. Pods leave it, and none come. */
  readonly state: EmptyingNodes & { countOfOwner(uid: string): number }
  /** The value that the policy's priorityThreshold has or names. */
  readonly priorityThreshold: number | undefined
  /** Pods of DaemonSets and mirrors of static pods leave by an Evacuation only in a maintenance. */
  readonly isByEvacuation: boolean
  /** One for all profiles of a cycle, if nodeFit looks at what the scheduler looks at. */
  readonly schedulerRules: SchedulerRules | undefined
}

/** DefaultEvictor for one cycle. */
export function createEvictor(args: DefaultEvictorArgs, parts: EvictorParts): Evictor {
  const { view, state, priorityThreshold, isByEvacuation, schedulerRules } = parts
  const surroundings: Surroundings = {
    args,
    nowMs: view.nowMs,
    priorityThreshold,
    budgets: new BudgetCoverage(view.budgets),
    storageClasses: view.storageClasses,
    state,
  }
  // Not the nodes of the policy: DefaultEvictor has a nodeSelector of its own.
  const search = args.nodeFit ? searchAmong(readyNodes(view.nodes, args.nodeSelector), parts) : undefined
  return {
    ...(search === undefined ? {} : { consider: (pod) => considered(pod, search) }),
    ...(args.nodeFit && schedulerRules !== undefined ? { prepare: () => schedulerRules.prepare() } : {}),
    filter: (pod) => (isByEvacuation ? immobilityOf(pod) : undefined) ?? protectionOf(pod, surroundings),
    preEvictionFilter: (pod) => exclusionOf(pod, args, view.namespaces) ?? search?.findObstacle(pod),
  }
}

/** A node may have many pods that fit nowhere, and each of them costs a look at all nodes. */
function* considered(pod: PodView, search: NodeSearch | SchedulerFit): InBreaths<void> {
  yield breath
  if (search instanceof SchedulerFit) yield* search.consider(pod)
}

function searchAmong(
  destinations: readonly NodeView[],
  { state, schedulerRules }: EvictorParts,
): NodeSearch | SchedulerFit {
  if (schedulerRules === undefined) return new NodeSearch(destinations, state)
  return new SchedulerFit(destinations, schedulerRules)
}

/** An Evacuation of such a pod would wait until its time is up. */
function immobilityOf(pod: PodView): Refusal {
  if (pod.marks.mirror) return 'it is the mirror of a static pod, which an Evacuation cannot move'
  return isOwnedBy(pod, ['DaemonSet']) ? 'it belongs to a DaemonSet, whose pods an Evacuation cannot move' : undefined
}

function protectionOf(pod: PodView, surroundings: Surroundings): Refusal {
  // Upstream's way out of every protection, even for a pod that is being deleted.
  if (pod.marks.evict) return undefined
  for (const rule of protectionRules) {
    const refusal = rule(pod, surroundings)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function exclusionOf(
  { namespace }: PodView,
  { namespaceLabelSelector }: DefaultEvictorArgs,
  namespaces: ClusterView['namespaces'],
): Refusal {
  if (namespaceLabelSelector === undefined || isEmpty(namespaceLabelSelector)) return undefined
  const labels = namespaces.get(namespace)
  if (labels !== undefined && matchesLabelSelector(namespaceLabelSelector, labels)) return undefined
  return `its namespace ${namespace} does not match the namespaceLabelSelector of DefaultEvictor`
}

/** It selects every namespace, even one that is not known. */
function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0
}
