import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { ownersOf } from './workload-pools.ts'

/** A drain looks at a few workloads at a time, and at each of them many times. */
const ownersMax = 256

/**
 * What each owner has, as it was last put together. All evacuations of a workload look at the same objects after each
 * change of one of them: without this the cost of a change would grow with the size of the workload times its moves.
 */
export class OwnedObjects {
  /** By place and UID of the owner. The oldest come first. */
  readonly #known = new Map<string, readonly KubernetesObject[]>()

  get(place: string, ownerUid: string, gather: () => readonly KubernetesObject[]): readonly KubernetesObject[] {
    const key = keyOf(place, ownerUid)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const gathered = gather()
    const [oldest] = this.#known.keys()
    if (oldest !== undefined && this.#known.size >= ownersMax) this.#known.delete(oldest)
    this.#known.set(key, gathered)
    return gathered
  }

  /** The object looks different now, or is gone: its owners have something else. */
  changed(place: string, object: KubernetesObject): void {
    for (const uid of ownersOf(object)) this.#known.delete(keyOf(place, uid))
  }

  /** No change of the place is seen any more. */
  forget(place: string): void {
    for (const key of this.#known.keys()) if (key.startsWith(keyOf(place, ''))) this.#known.delete(key)
  }

  clear(): void {
    this.#known.clear()
  }
}

function keyOf(place: string, ownerUid: string): string {
  return `${place} ${ownerUid}`
}
