import type { breath, PluginWorld } from '../plugin.ts'
import { sortInSteps } from './sort-in-steps.ts'
import type { PodView, QosClass } from '../view.ts'

export type Compare = (one: PodView, other: PodView) => number

const qosRank: Readonly<Record<QosClass, number>> = { BestEffort: 0, Burstable: 1, Guaranteed: 2 }

/** Without a priority first, then ascending; then by quality of service; then who would rather stay. */
export const byPriority: Compare = (one, other) =>
  priorityOf(one) - priorityOf(other) ||
  qosRank[one.template.qosClass] - qosRank[other.template.qosClass] ||
  Number(one.marks.preferNoEviction) - Number(other.marks.preferNoEviction)

/** Oldest first. */
export const byAge: Compare = (one, other) => one.createdMs - other.createdMs

/** Where upstream leaves it to chance. */
export const byName: Compare = (one, other) => compare(one.namespace, other.namespace) || compare(one.name, other.name)

/** For plugins that have no order of their own. */
export const asListed: Compare = () => 0

/** Who is leaving already comes first and who is to be left alone last, whatever the plugin's own order. */
export function inOrder(world: Pick<PluginWorld, 'rankOf'>, pods: readonly PodView[], own: Compare): PodView[] {
  const byRank = Map.groupBy(pods, (pod) => world.rankOf(pod))
  return [...byRank]
    .toSorted(([one], [other]) => one - other)
    .flatMap(([, equals]) => equals.toSorted((one, other) => own(one, other) || byName(one, other)))
}

/** The same for pods of many nodes, with a breath now and then. */
export function* inOrderByBreaths(
  world: Pick<PluginWorld, 'rankOf'>,
  pods: readonly PodView[],
  own: Compare,
): Generator<typeof breath, readonly PodView[], unknown> {
  const ranks = new Map(pods.map((pod) => [pod, world.rankOf(pod)]))
  const rankOf = (pod: PodView) => ranks.get(pod) ?? 0
  return yield* sortInSteps(pods, (one, other) => rankOf(one) - rankOf(other) || own(one, other) || byName(one, other))
}

/** Lower than any that an object can have, if it has none. */
export function priorityOf({ template }: PodView): number {
  return template.priority ?? -(2 ** 40)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}
