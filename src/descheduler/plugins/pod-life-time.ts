import { byAge, inOrderByBreaths } from '../cycle/orders.ts'
import { breath, type Nominations, type Plugin, type PluginWorld } from '../plugin.ts'
import { isOwnedBy, leavableOf, selectedOn } from '../cycle/pods-listed.ts'
import type { ConditionFilter, OwnerKinds, PodLifeTimeArgs } from '../policy/policy.ts'
import type { ConditionView, PodView } from '../view.ts'
import { containersOf, hasExitCode, hasReason, secondsSince } from './pod-states.ts'

/** Pods that are too old, or have been in a state or condition for too long, the oldest of all nodes first. */
export const podLifeTime: Plugin<'PodLifeTime'> = {
  name: 'PodLifeTime',
  extensionPoint: 'deschedule',
  nominate,
}

function* nominate(world: PluginWorld, args: PodLifeTimeArgs): Nominations {
  const isDue = dueBy(args, world.nowMs)
  const due: PodView[] = []
  for (const { name } of world.nodes) {
    yield breath
    due.push(...(yield* leavableOf(selectedOn(world, name, args).filter(isDue), world.evictor)))
  }
  for (const pod of yield* inOrderByBreaths(world, due, byAge)) {
    const outcome = yield pod
    if (outcome === 'totalLimit') return
  }
}

/** Every category that the args name must match, and in each any of its entries. */
function dueBy(args: PodLifeTimeArgs, nowMs: number): (pod: PodView) => boolean {
  const { maxPodLifeTimeSeconds, conditions = [], ownerKinds = {} } = args
  const [states, exitCodes] = [new Set(args.states), new Set(args.exitCodes)]
  const withInit = { includingInitContainers: args.includingInitContainers === true }
  return (pod) =>
    (maxPodLifeTimeSeconds === undefined || secondsSince(pod.createdMs, nowMs) > maxPodLifeTimeSeconds) &&
    (states.size === 0 || isInState(pod, states, args)) &&
    isOfKind(pod, ownerKinds) &&
    (conditions.length === 0 || conditions.some((filter) => hasCondition(pod, filter, nowMs))) &&
    (exitCodes.size === 0 || hasExitCode(containersOf(pod, withInit), exitCodes))
}

function isInState(pod: PodView, states: ReadonlySet<string>, args: PodLifeTimeArgs): boolean {
  return states.has(pod.phase ?? '') || states.has(pod.reason ?? '') || hasReason(containersOf(pod, args), states)
}

function isOfKind(pod: PodView, { include = [], exclude = [] }: OwnerKinds): boolean {
  return include.length > 0 ? isOwnedBy(pod, include) : !isOwnedBy(pod, exclude)
}

function hasCondition({ conditions }: PodView, filter: ConditionFilter, nowMs: number): boolean {
  return conditions.some(
    (condition) =>
      isLike(condition.type, filter.type) &&
      isLike(condition.status, filter.status) &&
      isLike(condition.reason, filter.reason) &&
      hasLasted(condition, filter, nowMs),
  )
}

const isLike = (actual: string | undefined, wanted = '') => wanted === '' || actual === wanted

function hasLasted({ lastTransitionMs }: ConditionView, filter: ConditionFilter, nowMs: number): boolean {
  const { minTimeSinceLastTransitionSeconds: minimum } = filter
  if (minimum === undefined) return true
  if (lastTransitionMs === undefined || lastTransitionMs > nowMs) return false
  return secondsSince(lastTransitionMs, nowMs) >= minimum
}
