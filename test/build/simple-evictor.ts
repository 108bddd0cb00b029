import { CycleState } from '../../src/descheduler/cycle/cycle-state.ts'
import { misfitOf } from '../../src/descheduler/fit/node-fit.ts'
import type { Evictor } from '../../src/descheduler/plugin.ts'
import type { NodeView, PodView } from '../../src/descheduler/view.ts'

export interface EvictorChoices {
  readonly nodes: readonly NodeView[]
  readonly pods: readonly PodView[]
  /** Every pod has to fit another node. */
  readonly nodeFit?: boolean
}

/** Protects pods whose names begin with `kept`. */
export function simpleEvictor({ nodes, pods, nodeFit = false }: EvictorChoices): Evictor {
  const state = new CycleState({ pods })
  const fitsElsewhere = (pod: PodView) =>
    nodes.some((node) => node.name !== pod.nodeName && misfitOf(pod, node, state) === undefined)
  return {
    filter: ({ name }) => (name.startsWith('kept') ? 'it is protected' : undefined),
    preEvictionFilter: (pod) => (nodeFit && !fitsElsewhere(pod) ? 'it fits no other node' : undefined),
  }
}
