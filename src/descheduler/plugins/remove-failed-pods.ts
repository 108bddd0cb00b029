import { asListed, inOrder } from '../cycle/orders.ts'
import type { Plugin } from '../plugin.ts'
import { isOwnedBy, leavableOf, selectedOn } from '../cycle/pods-listed.ts'
import type { RemoveFailedPodsArgs } from '../policy/policy.ts'
import type { PodView } from '../view.ts'
import { containersOf, hasExitCode, hasReason, secondsSince } from './pod-states.ts'
import { nodeByNode } from './node-by-node.ts'

/** Pods that have failed, for one of the reasons where the args name some. */
export const removeFailedPods: Plugin<'RemoveFailedPods'> = {
  name: 'RemoveFailedPods',
  extensionPoint: 'deschedule',
  *nominate(world, args) {
    const isWanted = wantedBy(args, world.nowMs)
    yield* nodeByNode(world, function* ({ name }) {
      const pods = yield* leavableOf(selectedOn(world, name, args).filter(isWanted), world.evictor)
      return inOrder(world, pods, asListed)
    })
  },
}

function wantedBy(args: RemoveFailedPodsArgs, nowMs: number): (pod: PodView) => boolean {
  const { minPodLifetimeSeconds, excludeOwnerKinds = [] } = args
  const [reasons, exitCodes] = [new Set(args.reasons), new Set(args.exitCodes)]
  return (pod) =>
    pod.phase === 'Failed' &&
    secondsSince(pod.createdMs, nowMs) >= minPodLifetimeSeconds &&
    !isOwnedBy(pod, excludeOwnerKinds) &&
    (reasons.size === 0 || reasons.has(pod.reason ?? '') || hasReason(containersOf(pod, args), reasons)) &&
    (exitCodes.size === 0 || hasExitCode(containersOf(pod, args), exitCodes))
}
