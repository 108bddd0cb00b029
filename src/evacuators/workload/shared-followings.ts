import type { Following } from '../../kube/watch/informer-pool.ts'
import type { WorkloadCaches } from './workload-caches.ts'
import type { Followed } from './workload-evacuator.ts'

/** Something that is followed for as long as it has holders. */
export interface SharedFollowing {
  readonly key: string
  readonly following: Following
  holders: number
}

/** Evacuations of a namespace follow the same: what is followed for tens of thousands is asked for once. */
export class SharedFollowings {
  readonly #caches: Pick<WorkloadCaches, 'follow'>
  readonly #shared = new Map<string, SharedFollowing>()

  constructor(caches: Pick<WorkloadCaches, 'follow'>) {
    this.#caches = caches
  }

  /** To be let go by each holder. */
  follow(namespace: string, followed: Followed): SharedFollowing {
    const { resource, name = '', namespace: elsewhere = namespace } = followed
    const key = `${resource.group}/${resource.plural} ${elsewhere}/${name}`
    let shared = this.#shared.get(key)
    if (shared === undefined) {
      shared = { key, following: this.#caches.follow(namespace, followed), holders: 0 }
      this.#shared.set(key, shared)
    }
    shared.holders++
    return shared
  }

  letGo(shared: SharedFollowing): void {
    if (--shared.holders > 0) return
    shared.following[Symbol.dispose]()
    this.#shared.delete(shared.key)
  }
}
