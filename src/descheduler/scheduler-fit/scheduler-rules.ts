import type { EmptyingNodes } from '../fit/node-search.ts'
import { breath, type InBreaths } from '../plugin.ts'
import type { ClusterView, PodView } from '../view.ts'
import { Cohorts } from './cohorts.ts'
import type { FitRule, Newcomer } from './fit-rule.ts'
import { HostPorts } from './host-ports.ts'
import { PodAffinity } from './pod-affinity.ts'
import { Spread } from './spread.ts'
import { Topology } from './topology.ts'

/** Nodes from which pods only ever go, and who went. */
export interface DepartingPods extends EmptyingNodes {
  readonly departed: readonly PodView[]
}

/** What the scheduler asks of nodes because of other pods, for one cycle: all profiles share it. */
export class SchedulerRules {
  readonly topology: Topology
  readonly state: DepartingPods
  readonly #cohorts: Cohorts
  readonly #sources: readonly { rulesFor(pod: Newcomer): InBreaths<readonly FitRule[]> }[]
  readonly #preparation: InBreaths<void>
  #departedSeen: number

  constructor({ nodes, namespaces }: Pick<ClusterView, 'nodes' | 'namespaces'>, state: DepartingPods) {
    this.state = state
    this.#departedSeen = state.departed.length
    this.topology = new Topology(nodes)
    this.#cohorts = new Cohorts(this.topology)
    const affinity = new PodAffinity(this.topology, this.#cohorts, namespaces)
    this.#sources = [new HostPorts(this.topology, this.#cohorts), new Spread(this.topology, this.#cohorts), affinity]
    this.#preparation = this.#takeAll(affinity)
  }

  /** Takes in the pods of all nodes. What is left of it is done before the first answer. */
  *prepare(): InBreaths<void> {
    while (this.#preparation.next().done !== true) yield breath
  }

  /** Takes out the pods that have left since. */
  catchUp(): void {
    while (this.#preparation.next().done !== true);
    const { departed } = this.state
    for (; this.#departedSeen < departed.length; this.#departedSeen++) {
      const pod = departed[this.#departedSeen]
      if (pod !== undefined) this.#cohorts.leave(pod)
    }
  }

  *rulesFor(pod: Newcomer): InBreaths<readonly FitRule[]> {
    const rules: FitRule[] = []
    for (const source of this.#sources) for (const rule of yield* source.rulesFor(pod)) rules.push(rule)
    return rules
  }

  *#takeAll(affinity: PodAffinity): InBreaths<void> {
    for (const { name } of this.topology.nodes) {
      for (const pod of this.state.podsOn(name)) this.#cohorts.take(pod)
      // Asked for by every search, of all nodes one after the other.
      this.state.usedOn(name)
      yield breath
    }
    yield* affinity.prepare()
  }
}
