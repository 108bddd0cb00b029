import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { pods, type Resource } from '../../api/kubernetes/resources.ts'
import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import type { Following, InformerParts, InformerPool } from '../../kube/watch/informer-pool.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import { OwnWrites } from '../../kube/watch/own-writes.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import { assert } from '../../runtime/assert.ts'
import { OwnedObjects } from './owned-objects.ts'
import { SelectedNames } from './selected-names.ts'
import type { Followed } from './workload-evacuator.ts'
import { allPods, isFollowedSingly, isPods, kindOf, openPool, ownerIndex, ownersOf } from './workload-pools.ts'

/** Where a kind is followed: its name, and the namespace or the name of the one object. */
export interface Place {
  readonly resource: Resource<KubernetesObject>
  readonly key: string
}

/** An eviction that was accepted shows in the watch long before. */
const leavingForMs = 15_000

/**
 * What workload evacuators look at, all classes together: a namespace is followed once, and only while an evacuator
 * works there. Knows what Lifeboat has written and the watches do not show yet: an evacuator that decides on the old
 * state would do it twice.
 */
export class WorkloadCaches {
  readonly #parts: InformerParts
  readonly #allPods: InformerPool<Pod>
  readonly #pools = new Map<string, InformerPool<KubernetesObject>>()
  readonly #handlers = new Set<(change: Change<KubernetesObject>, place: Place) => void>()
  readonly #own = new Map<string, OwnWrites<KubernetesObject>>()
  readonly #owned = new OwnedObjects()
  readonly #selected = new SelectedNames()
  readonly #leavingUntilMs = new Map<string, number>()
  readonly #beingPutBack = new Set<string>()

  /** `all` follows the pods of the whole cluster; where others need it, the work here is as large as the cluster too. */
  constructor(parts: InformerParts, all: InformerPool<Pod> = allPods(parts)) {
    this.#parts = parts
    this.#allPods = all
  }

  follow(namespace: string, { resource, name, namespace: elsewhere }: Followed): Following {
    assert(!isFollowedSingly(resource) || name !== undefined, `of ${resource.plural} only one can be followed`)
    const place = placeOf(resource, elsewhere ?? namespace, name)
    const pool = this.#poolOf(resource)
    const following = pool.follow(place.key)
    const id = placeText(place)
    if (!this.#own.has(id)) this.#own.set(id, new OwnWrites(this.#informerOf(place)))
    return {
      synced: following.synced,
      [Symbol.dispose]: () => {
        following[Symbol.dispose]()
        if (pool.get(place.key) !== undefined) return
        this.#own.delete(id)
        this.#owned.forget(id)
        this.#selected.forget(id)
      },
    }
  }

  subscribe(handler: (change: Change<KubernetesObject>, place: Place) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  /** How many informers run. */
  get size(): number {
    return this.#pools.values().reduce((sum, pool) => sum + pool.size, 0)
  }

  get<T extends KubernetesObject>(resource: Resource<T>, namespace: string, name: string): T | undefined {
    const place = placeOf(resource, namespace, name)
    const found = this.#ownOf(place).get(resource.namespaced ? { namespace, name } : { name })
    return found === undefined ? undefined : (this.#present(place, found) as T)
  }

  /** Undefined as well where it is not followed. */
  peek<T extends KubernetesObject>(resource: Resource<T>, { namespace, name }: ObjectKey): T | undefined {
    const place = placeOf(resource, namespace, name)
    return namespace !== undefined && this.#isFollowed(place) ? this.get(resource, namespace, name) : undefined
  }

  /** Without regard to whether it is expected to leave: it may have been refused. Undefined: ask the API server. */
  pod({ namespace, name, uid }: PodRef): Pod | undefined {
    const place = placeOf(pods, namespace)
    if (!this.#isFollowed(place)) return undefined
    const found = this.#ownOf(place).get({ namespace, name })
    return found?.metadata.uid === uid ? (found as Pod) : undefined
  }

  list<T extends KubernetesObject>(resource: Resource<T>, namespace: string): T[] {
    const place = placeOf(resource, namespace)
    return this.#newest(place, this.#informerOf(place).list()) as T[]
  }

  /** Those that match. `matches` may depend on `shared` and on what changes with the generation or the labels of an object. */
  select<T extends KubernetesObject>(
    resource: Resource<T>,
    namespace: string,
    { shared, matches }: { readonly shared: object; readonly matches: (object: T) => boolean },
  ): T[] {
    const place = placeText(placeOf(resource, namespace))
    const names = this.#selected.get(place, shared, () => {
      const found = this.list(resource, namespace).filter(matches)
      return found.map(({ metadata }) => metadata.name)
    })
    return names.map((name) => this.get(resource, namespace, name)).filter((object) => object !== undefined)
  }

  /** Twice the same array where nothing has changed in between. */
  ownedBy<T extends KubernetesObject>(resource: Resource<T>, namespace: string, uid: string): readonly T[] {
    const place = placeOf(resource, namespace)
    const own = this.#ownOf(place)
    const owned = this.#owned.get(placeText(place), uid, {
      gather: () => this.#gatherOwned(place, uid),
      latest: (name) => own.get({ namespace, name }),
    })
    const isAnyLeaving = owned.some(({ metadata }) => this.#leavingUntilMs.has(metadata.uid))
    return (isAnyLeaving ? owned.map((object) => this.#present(place, object)) : owned) as readonly T[]
  }

  #gatherOwned(place: Place, uid: string): KubernetesObject[] {
    const found = this.#informerOf(place).byIndex(ownerIndex, uid)
    // What was written may have got that owner by it.
    const uids = new Set(found.map(({ metadata }) => metadata.uid))
    const own = this.#ownOf(place)
    const more = own.written().filter((object) => !uids.has(object.metadata.uid))
    const newest = [...found, ...more].map((object) => own.newest(object))
    return newest.filter((object) => object !== undefined && ownersOf(object).includes(uid)) as KubernetesObject[]
  }

  /** Sends a write or a read, and keeps its answer until the watch has shown as much. Undefined: the object is gone. */
  async keep<T extends KubernetesObject>(
    resource: Resource<T>,
    key: ObjectKey,
    send: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const place = placeOf(resource, key.namespace, key.name)
    // Where nothing is followed, nothing would show that something newer has come.
    const own = this.#isFollowed(place) ? this.#own.get(placeText(place)) : undefined
    if (own === undefined) return await send()
    const before = own.get(key)
    try {
      return await (own as OwnWrites<T>).keep(key, send)
    } finally {
      for (const object of [before, own.get(key)])
        if (object !== undefined) this.#owned.changed(placeText(place), object)
    }
  }

  /**
   * The pod is about to go. Until that shows, or it turns out that it stays, no controller counts on it: it looks as if
   * it were not ready. Nor does a controller take it for gone.
   */
  expectToLeave(podUid: string): void {
    const nowMs = this.#parts.clock.nowMs()
    // Where pods are not followed no watch tells that they are gone. The oldest come first.
    for (const [uid, untilMs] of this.#leavingUntilMs) {
      if (untilMs > nowMs) break
      this.#leavingUntilMs.delete(uid)
    }
    this.#leavingUntilMs.delete(podUid)
    this.#leavingUntilMs.set(podUid, nowMs + leavingForMs)
  }

  stays(podUid: string): void {
    this.#leavingUntilMs.delete(podUid)
  }

  /** Until it is disposed of, no evacuator decides anything about the pod. */
  beginPuttingBack(podUid: string): Disposable {
    this.#beingPutBack.add(podUid)
    return { [Symbol.dispose]: () => void this.#beingPutBack.delete(podUid) }
  }

  isBeingPutBack(podUid: string): boolean {
    return this.#beingPutBack.has(podUid)
  }

  [Symbol.dispose](): void {
    for (const pool of this.#pools.values()) pool[Symbol.dispose]()
    this.#own.clear()
    this.#owned.clear()
    this.#leavingUntilMs.clear()
  }

  #isFollowed({ resource, key }: Place): boolean {
    return this.#pools.get(kindOf(resource))?.get(key)?.isSynced ?? false
  }

  #informerOf({ resource, key }: Place) {
    const informer = this.#pools.get(kindOf(resource))?.get(key)
    assert(informer !== undefined, `${resource.plural} of ${key} are not followed`)
    return informer
  }

  #poolOf(resource: Resource<KubernetesObject>): InformerPool<KubernetesObject> {
    const known = this.#pools.get(kindOf(resource))
    if (known !== undefined) return known
    const pool = openPool(this.#parts, resource, this.#allPods)
    pool.subscribe((change, key) => this.#changed(change, { resource, key }))
    this.#pools.set(kindOf(resource), pool)
    return pool
  }

  #changed(change: Change<KubernetesObject>, place: Place): void {
    if (change.kind === 'deleted') this.#leavingUntilMs.delete(change.object.metadata.uid)
    const changed = change.kind === 'updated' ? [change.object, change.previous] : [change.object]
    for (const object of changed) this.#owned.changed(placeText(place), object)
    this.#selected.changed(placeText(place), change)
    for (const handler of this.#handlers) handler(change, place)
  }

  #ownOf(place: Place): OwnWrites<KubernetesObject> {
    const own = this.#own.get(placeText(place))
    assert(own !== undefined, `${place.resource.plural} of ${place.key} are not followed`)
    return own
  }

  #newest(place: Place, seen: readonly KubernetesObject[]): KubernetesObject[] {
    const own = this.#ownOf(place)
    return seen.flatMap((object) => {
      const newest = own.newest(object)
      return newest === undefined ? [] : [this.#present(place, newest)]
    })
  }

  #present({ resource }: Place, object: KubernetesObject): KubernetesObject {
    return isPods(resource) ? this.#asLeaving(object as Pod) : object
  }

  #asLeaving(pod: Pod): Pod {
    const untilMs = this.#leavingUntilMs.get(pod.metadata.uid)
    const isLeaving = untilMs !== undefined && untilMs > this.#parts.clock.nowMs()
    return isLeaving ? asUnready(pod, untilMs - leavingForMs) : pod
  }
}

function asUnready(pod: Pod, sinceMs: number): Pod {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready')
  const lastTransitionTime = new Date(sinceMs).toISOString()
  return {
    ...pod,
    status: { ...pod.status, conditions: [...others, { type: 'Ready', status: 'False', lastTransitionTime }] },
  }
}

export function placeOf(resource: Resource<KubernetesObject>, namespace: string | undefined, name = ''): Place {
  if (namespace === undefined || !resource.namespaced) return { resource, key: name }
  return { resource, key: isFollowedSingly(resource) ? `${namespace}/${name}` : namespace }
}

export function placeText({ resource, key }: Place): string {
  return `${kindOf(resource)} ${key}`
}
