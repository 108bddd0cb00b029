import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Change } from '../../kube/watch/object-cache.ts'

interface Selected {
  /** Of the place, when they were selected. */
  readonly round: number
  readonly names: readonly string[]
}

/**
 * Which objects of a place were selected for an object that others share, such as the labels of all pods of a workload.
 * They are looked through again after a change by which others may match, not after each change.
 */
export class SelectedNames {
  /** How often that has changed, by place. */
  readonly #rounds = new Map<string, number>()
  readonly #known = new Map<string, WeakMap<object, Selected>>()

  get(place: string, shared: object, select: () => readonly string[]): readonly string[] {
    let known = this.#known.get(place)
    if (known === undefined) this.#known.set(place, (known = new WeakMap()))
    const round = this.#rounds.get(place) ?? 0
    const before = known.get(shared)
    if (before?.round === round) return before.names
    const names = select()
    known.set(shared, { round, names })
    return names
  }

  changed(place: string, change: Change<KubernetesObject>): void {
    if (this.#known.has(place) && mayMatchAnew(change)) this.#rounds.set(place, (this.#rounds.get(place) ?? 0) + 1)
  }

  /** No change of the place is seen any more. */
  forget(place: string): void {
    this.#known.delete(place)
    this.#rounds.delete(place)
  }
}

/** A budget counts all the time; whom it is for changes with its spec. */
export function mayMatchAnew(change: Change<KubernetesObject>): boolean {
  if (change.kind !== 'updated') return true
  const { generation, labels } = change.object.metadata
  const before = change.previous.metadata
  return (
    generation === undefined ||
    generation !== before.generation ||
    JSON.stringify(labels) !== JSON.stringify(before.labels)
  )
}
