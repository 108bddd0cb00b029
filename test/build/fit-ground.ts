import { Cohorts } from '../../src/descheduler/scheduler-fit/cohorts.ts'
import { atOnce, type InBreaths } from '../../src/descheduler/plugin.ts'
import type { FitRule, Newcomer } from '../../src/descheduler/scheduler-fit/fit-rule.ts'
import { Topology } from '../../src/descheduler/scheduler-fit/topology.ts'
import type { PodView } from '../../src/descheduler/view.ts'
import { nodeView, podView, type NodeChoices, type PodChoices } from './descheduler-view.ts'

/** Pods on nodes, as the rules of the scheduler see them. */
export class FitGround {
  readonly topology: Topology
  readonly cohorts: Cohorts

  constructor(nodes: readonly NodeChoices[], pods: readonly PodView[]) {
    this.topology = new Topology(nodes.map(nodeView))
    this.cohorts = new Cohorts(this.topology)
    for (const pod of pods) this.cohorts.take(pod)
  }

  /** Why each node does not fit, or "fits". Nodes are asked about as if none were the pod's own. */
  verdictsOn(source: { rulesFor(pod: Newcomer): InBreaths<readonly FitRule[]> }, pod: PodView): string[] {
    const rules = atOnce(source.rulesFor(pod))
    return this.topology.nodes.map(
      (_, position) =>
        rules.map((rule) => rule.misfitAt(position, rule.shareOf(pod))).find((misfit) => misfit !== undefined) ??
        'fits',
    )
  }
}

/** Pods with names of their own, of the app web unless said otherwise. */
export function podsOf(choices: readonly Omit<PodChoices, 'name'>[]): PodView[] {
  return choices.map((choice, index) => podView({ name: `p${index}`, labels: { app: 'web' }, ...choice }))
}
