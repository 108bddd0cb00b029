import { labelOf } from '../../api/kubernetes/label-selector.ts'
import { breath } from '../plugin.ts'
import type { PodTemplateView, PodView } from '../view.ts'
import { selects, spreadConstraintOf, type SpreadConstraint } from './constraint.ts'

/** Pods from one template. */
interface Group {
  readonly template: PodTemplateView
  readonly pods: PodView[]
  /** Undefined: the evictor has not been asked yet. */
  evictable: readonly PodView[] | undefined
}

type IsEvictable = (pod: PodView) => boolean

/** The pods of one namespace, by template: what a constraint selects, it selects template by template. */
export class NamespacePods {
  readonly #groups = new Map<PodTemplateView, Group>()
  readonly #groupsByLabel = new Map<string, ReadonlyMap<string, readonly Group[]>>()

  /** All of them are added before the first constraint is looked at. */
  add(pod: PodView): void {
    const group = this.#groups.get(pod.template)
    if (group !== undefined) group.pods.push(pod)
    else this.#groups.set(pod.template, { template: pod.template, pods: [pod], evictable: undefined })
  }

  /** The distinct constraints of pods that may be evicted. */
  *constraints(
    whenUnsatisfiable: readonly string[],
    isEvictable: IsEvictable,
  ): Generator<typeof breath, SpreadConstraint[], unknown> {
    const distinct = new Map<string, SpreadConstraint>()
    for (const group of this.#groups.values()) {
      yield breath
      for (const constraint of group.template.spreadConstraints) {
        if (!whenUnsatisfiable.includes(constraint.whenUnsatisfiable)) continue
        if (evictableOf(group, isEvictable).length === 0) break
        const parsed = spreadConstraintOf(constraint, group.template)
        if (parsed !== undefined) distinct.set(parsed.identity, parsed)
      }
    }
    return [...distinct.values()]
  }

  /** Who counts: selected, evictable and not terminating. */
  selectedBy(constraint: SpreadConstraint, isEvictable: IsEvictable): PodView[] {
    const selected: PodView[] = []
    for (const group of this.#groupsFor(constraint)) {
      if (!selects(constraint, group.template)) continue
      for (const pod of evictableOf(group, isEvictable)) if (!pod.isTerminating) selected.push(pod)
    }
    return selected
  }

  /** Those with the rarest of the labels that the selector names; the others cannot match. */
  #groupsFor({ selector }: SpreadConstraint): Iterable<Group> {
    let fewest: readonly Group[] | undefined
    for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
      const groups = this.#indexOf(key).get(value) ?? []
      if (fewest === undefined || groups.length < fewest.length) fewest = groups
    }
    return fewest ?? this.#groups.values()
  }

  #indexOf(label: string): ReadonlyMap<string, readonly Group[]> {
    const known = this.#groupsByLabel.get(label)
    if (known !== undefined) return known
    const byValue = new Map<string, Group[]>()
    for (const group of this.#groups.values()) {
      const value = labelOf(group.template.labels, label)
      if (value === undefined) continue
      const groups = byValue.get(value)
      if (groups === undefined) byValue.set(value, [group])
      else groups.push(group)
    }
    this.#groupsByLabel.set(label, byValue)
    return byValue
  }
}

function evictableOf(group: Group, isEvictable: IsEvictable): readonly PodView[] {
  group.evictable ??= group.pods.filter(isEvictable)
  return group.evictable
}
