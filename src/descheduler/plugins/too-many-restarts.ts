import { inOrder } from '../cycle/orders.ts'
import type { Plugin } from '../plugin.ts'
import { leavableOf, selectedOn } from '../cycle/pods-listed.ts'
import type { PodView } from '../view.ts'
import { containersOf, type ContainerChoice } from './pod-states.ts'
import { nodeByNode } from './node-by-node.ts'

/** Pods whose containers have been restarted too often, on each node those with the most restarts first. */
export const tooManyRestarts: Plugin<'RemovePodsHavingTooManyRestarts'> = {
  name: 'RemovePodsHavingTooManyRestarts',
  extensionPoint: 'deschedule',
  *nominate(world, args) {
    const states = new Set(args.states)
    const isWanted = (pod: PodView) =>
      restartsOf(pod, args) >= args.podRestartThreshold && (states.size === 0 || isInState(pod, states, args))
    yield* nodeByNode(world, function* ({ name }) {
      const pods = yield* leavableOf(selectedOn(world, name, args).filter(isWanted), world.evictor)
      return inOrder(world, pods, (one, other) => restartsOf(other, args) - restartsOf(one, args))
    })
  },
}

function restartsOf(pod: PodView, choice: ContainerChoice): number {
  return containersOf(pod, choice).reduce((sum, { restartCount }) => sum + restartCount, 0)
}

/** The phase, or what a container waits for. Why one has ended does not count here. */
function isInState(pod: PodView, states: ReadonlySet<string>, choice: ContainerChoice): boolean {
  return (
    states.has(pod.phase ?? '') || containersOf(pod, choice).some(({ waitingReason = '' }) => states.has(waitingReason))
  )
}
