import type { EmptyingNodes } from '../node-search.ts'
import { breath } from '../plugin.ts'
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
  readonly #sources: readonly { rulesFor(pod: Newcomer): readonly FitRule[] }[]
  readonly #preparation: Generator<typeof breath, void, unknown>
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
  *prepare(): Generator<typeof breath, void, unknown> {
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

  rulesFor(pod: Newcomer): readonly FitRule[] {
    return this.#sources.flatMap((source) => source.rulesFor(pod))
  }

  *#takeAll(affinity: PodAffinity): Generator<typeof breath, void, unknown> {
    for (const { name } of this.topology.nodes) {
      for (const pod of this.state.podsOn(name)) this.#cohorts.take(pod)
      yield breath
    }
    yield* affinity.prepare()
  }
}
