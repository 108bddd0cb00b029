import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { ownersOf } from './workload-pools.ts'

/** A drain looks at a few workloads at a time, and at each of them many times. */
const ownersMax = 256

interface Owned {
  /** By name: within a place no two objects share one. */
  readonly objects: Map<string, KubernetesObject>
  /** The names of those that look different since they were put here. */
  readonly changed: Set<string>
  /** Of the objects; undefined after a change. */
  list: readonly KubernetesObject[] | undefined
}

/** Where the objects of a place come from. */
export interface OwnedSource {
  /** All that the owner has. */
  readonly gather: () => readonly KubernetesObject[]
  /** The object of this name as it is now; undefined: it is gone. */
  readonly latest: (name: string) => KubernetesObject | undefined
}

/**
 * What each owner has. All evacuations of a workload look at the same objects after each change of one of them, so a
 * change costs one look at what changed, and not one at all that the workload has.
 */
export class OwnedObjects {
  /** By place and UID of the owner. The oldest come first. */
  readonly #known = new Map<string, Owned>()

  get(place: string, ownerUid: string, { gather, latest }: OwnedSource): readonly KubernetesObject[] {
    const owned = this.#known.get(keyOf(place, ownerUid)) ?? this.#remember(place, ownerUid, gather())
    for (const name of owned.changed) {
      const object = latest(name)
      if (object !== undefined && ownersOf(object).includes(ownerUid)) owned.objects.set(name, object)
      else owned.objects.delete(name)
    }
    if (owned.changed.size > 0) owned.list = undefined
    owned.changed.clear()
    owned.list ??= [...owned.objects.values()]
    return owned.list
  }

  /** The object looks different now, or is gone. To be told of how it was and of how it is: its owners may have changed. */
  changed(place: string, object: KubernetesObject): void {
    for (const uid of ownersOf(object)) this.#known.get(keyOf(place, uid))?.changed.add(object.metadata.name)
  }

  /** No change of the place is seen any more. */
  forget(place: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(keyOf(place, ''))) this.#known.delete(key)
  }

  clear(): void {
    this.#known.clear()
  }

  #remember(place: string, ownerUid: string, gathered: readonly KubernetesObject[]): Owned {
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= ownersMax) this.#known.delete(oldest)
    const objects = new Map(gathered.map((object) => [object.metadata.name, object]))
    const owned = { objects, changed: new Set<string>(), list: undefined }
    this.#known.set(keyOf(place, ownerUid), owned)
    return owned
  }
}

function keyOf(place: string, ownerUid: string): string {
  return `${place} ${ownerUid}`
}
