import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { leases, pods, type Resource } from '../../api/kubernetes/resources.ts'
import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import type { Selection } from '../../kube/client/call-options.ts'
import { InformerPool, type Following, type InformerParts } from '../../kube/watch/informer-pool.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import { assert } from '../../runtime/assert.ts'
import { releasedFromOf } from './released-from.ts'
import type { Followed } from './workload-evacuator.ts'

/** Where a kind is followed: its name, and the namespace or the name of the one object. */
export interface Place {
  readonly resource: Resource<KubernetesObject>
  readonly key: string
}

const ownerIndex = 'owner'
/** An eviction that was accepted shows in the watch long before. */
const leavingForMs = 15_000

/**
 * What workload evacuators look at, all classes together: a namespace is followed once, and only while somebody
 * evacuates there. Knows what Lifeboat has written and the watches do not show yet: whoever decides on the old state
 * would do it twice.
 */
export class WorkloadCaches {
  readonly #parts: InformerParts
  readonly #pools = new Map<string, InformerPool<KubernetesObject>>()
  readonly #handlers = new Set<(change: Change<KubernetesObject>, place: Place) => void>()
  readonly #newer = new Map<string, Map<string, KubernetesObject>>()
  readonly #leavingUntilMs = new Map<string, number>()
  readonly #beingPutBack = new Set<string>()
  readonly #leavingPods = new WeakMap<object, { readonly untilMs: number; readonly unready: Pod }>()

  constructor(parts: InformerParts) {
    this.#parts = parts
  }

  follow(namespace: string, { resource, name, namespace: elsewhere }: Followed): Following {
    assert(!isFollowedSingly(resource) || name !== undefined, `of ${resource.plural} only one can be followed`)
    const place = placeOf(resource, elsewhere ?? namespace, name)
    const pool = this.#poolOf(resource)
    const following = pool.follow(place.key)
    return {
      synced: following.synced,
      [Symbol.dispose]: () => {
        following[Symbol.dispose]()
        if (pool.get(place.key) === undefined) this.#newer.delete(placeText(place))
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
    const cached = this.#informerOf(place).get(resource.namespaced ? { namespace, name } : { name })
    return cached === undefined ? undefined : (this.#presenter(place)(cached) as T)
  }

  /** Without regard to whether it is expected to leave: it may have been refused. Undefined: ask the API server. */
  pod({ namespace, name, uid }: PodRef): Pod | undefined {
    const place = placeOf(pods, namespace)
    if (!this.#isFollowed(place)) return undefined
    const cached = this.#informerOf(place).get({ namespace, name })
    if (cached?.metadata.uid !== uid) return undefined
    const newer = this.#newer.get(placeText(place))
    return newer === undefined ? cached : newestOf(newer, cached)
  }

  list<T extends KubernetesObject>(resource: Resource<T>, namespace: string): T[] {
    const place = placeOf(resource, namespace)
    const present = this.#presenter(place)
    return this.#informerOf(place)
      .list()
      .map((object) => present(object) as T)
  }

  ownedBy<T extends KubernetesObject>(resource: Resource<T>, namespace: string, uid: string): T[] {
    const place = placeOf(resource, namespace)
    const informer = this.#informerOf(place)
    const found = informer.byIndex(ownerIndex, uid)
    // What was written may have got that owner by it.
    for (const [name, written] of this.#newer.get(placeText(place)) ?? []) {
      if (!ownersOf(written).includes(uid)) continue
      const cached = informer.get({ namespace, name })
      if (cached !== undefined && !found.includes(cached)) found.push(cached)
    }
    const present = this.#presenter(place)
    return found.map(present).filter((object) => ownersOf(object).includes(uid)) as T[]
  }

  /** What the API server answered: newer than what a watch has shown, for a while. */
  saw(resource: Resource<KubernetesObject>, object: KubernetesObject): void {
    const { namespace = '', name = '' } = object.metadata
    const place = placeOf(resource, namespace, name)
    // Nobody would ever see that something newer has come.
    if (!this.#isFollowed(place)) return
    const id = placeText(place)
    const newer = this.#newer.get(id) ?? new Map<string, KubernetesObject>()
    newer.set(name, object)
    this.#newer.set(id, newer)
  }

  /**
   * The pod is about to go. Until that shows, or it turns out that it stays, nobody counts on it: it looks as if it were
   * not ready. Nor does anybody take it for gone.
   */
  expectToLeave(podUid: string): void {
    const nowMs = this.#parts.clock.nowMs()
    // Where pods are not followed nobody tells that they are gone. The oldest come first.
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
    this.#newer.clear()
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
    const pool = new InformerPool<KubernetesObject>({
      ...this.#parts,
      resource,
      selectionOf: (key) => selectionOf(resource, key),
      indexes: { [ownerIndex]: ownersOf },
    })
    pool.subscribe((change, key) => this.#changed(change, { resource, key }))
    this.#pools.set(kindOf(resource), pool)
    return pool
  }

  #changed(change: Change<KubernetesObject>, place: Place): void {
    const { name = '', uid = '' } = change.object.metadata
    const newer = this.#newer.get(placeText(place))
    const written = newer?.get(name)
    if (written !== undefined && (change.kind === 'deleted' || !isNewer(written, change.object))) newer?.delete(name)
    if (newer?.size === 0) this.#newer.delete(placeText(place))
    if (change.kind === 'deleted') this.#leavingUntilMs.delete(uid)
    for (const handler of this.#handlers) handler(change, place)
  }

  /** How the objects of a place look. */
  #presenter(place: Place): (cached: KubernetesObject) => KubernetesObject {
    const newer = this.#newer.get(placeText(place))
    const arePods = kindOf(place.resource) === kindOf(pods)
    return (cached) => {
      const newest = newer === undefined ? cached : newestOf(newer, cached)
      return arePods ? this.#asLeaving(newest) : newest
    }
  }

  #asLeaving(pod: KubernetesObject): KubernetesObject {
    const untilMs = this.#leavingUntilMs.get(pod.metadata.uid ?? '')
    if (untilMs === undefined || untilMs <= this.#parts.clock.nowMs()) return pod
    const known = this.#leavingPods.get(pod)
    if (known?.untilMs === untilMs) return known.unready
    const unready = asUnready(pod, untilMs - leavingForMs)
    this.#leavingPods.set(pod, { untilMs, unready })
    return unready
  }
}

/** Only what the cache holds has a newer form: what is gone from there is gone. */
function newestOf(newer: ReadonlyMap<string, KubernetesObject>, cached: KubernetesObject): KubernetesObject {
  const written = newer.get(cached.metadata.name ?? '')
  return written !== undefined && isNewer(written, cached) ? written : cached
}

function asUnready(pod: Pod, sinceMs: number): Pod {
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready')
  const lastTransitionTime = new Date(sinceMs).toISOString()
  return {
    ...pod,
    status: { ...pod.status, conditions: [...others, { type: 'Ready', status: 'False', lastTransitionTime }] },
  }
}

export function placeOf(resource: Resource<KubernetesObject>, namespace: string, name = ''): Place {
  if (!resource.namespaced) return { resource, key: name }
  return { resource, key: isFollowedSingly(resource) ? `${namespace}/${name}` : namespace }
}

/** A namespace may have a Lease for each node of the cluster. */
function isFollowedSingly(resource: Resource<KubernetesObject>): boolean {
  return !resource.namespaced || kindOf(resource) === kindOf(leases)
}

function selectionOf(resource: Resource<KubernetesObject>, key: string): Selection {
  if (!resource.namespaced) return { fieldSelector: `metadata.name=${key}` }
  if (!isFollowedSingly(resource)) return { namespace: key }
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, fieldSelector: `metadata.name=${name}` }
}

export function placeText({ resource, key }: Place): string {
  return `${kindOf(resource)} ${key}`
}

/** The UIDs of its owners, and of the Deployment that a pod was released from. */
export function ownersOf(object: KubernetesObject): string[] {
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid)
  const released = releasedFromOf(object)
  return released === undefined ? owners : [...owners, released.deployment.uid]
}

function kindOf({ plural, group }: Resource<KubernetesObject>): string {
  return `${plural}.${group}`
}

/** Versions of one object are numbers that grow. */
export function isNewer(one: KubernetesObject, other: KubernetesObject): boolean {
  return one.metadata.uid === other.metadata.uid && versionOf(one) > versionOf(other)
}

function versionOf({ metadata: { resourceVersion = '' } }: KubernetesObject): bigint {
  return /^\d+$/.test(resourceVersion) ? BigInt(resourceVersion) : -1n
}
