import { runControlLoop, type Wake } from '../../runtime/control-loop.ts'
import { evacuationConditions, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { evacuationName } from '../../api/evacuation/evacuation-name.ts'
import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { pods, replicaSets } from '../../api/kubernetes/resources.ts'
import { annotations } from '../../api/names.ts'
import { podRefOf, podRefOfEvacuation } from '../../api/evacuation/pod-reference.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError } from '../../kube/client/errors.ts'
import type { Following } from '../../kube/watch/informer-pool.ts'
import type { Informer } from '../../kube/watch/informer.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { type Next, type QueueMetrics, type Reconcile } from '../../runtime/work-queue.ts'
import type { Events } from '../events.ts'
import { controllerOf } from '../workload/pod-state.ts'
import type { WorkloadCaches } from '../workload/workload-caches.ts'
import { ownersOf } from '../workload/workload-pools.ts'
import { decideDeletions } from './decide.ts'
import { invalidStrategy, podDeleted } from './events.ts'
import { strategyOf, unavailableMax } from './strategy.ts'

export interface EvictStrategyOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: Events
  /** Follows all Evacuations; the evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly caches: WorkloadCaches
  readonly queueMetrics: QueueMetrics
}

/** What is remembered of a namespace in which controllers were asked to take pods away. */
interface Asked {
  readonly followings: readonly Following[]
  readonly evacuations: Set<string>
  /** Sets that wait for something: only what happens to their pods matters. */
  readonly setUids: Set<string>
  /** Annotations that were told about. */
  readonly told: Set<string>
  /** Of those above, the ones whose pod was deleted: the cache may not show it yet. */
  readonly deleted: Set<string>
}

const settled: Next = { kind: 'settled' }

const concurrency = 10

/**
 * The controller's side of Pod Evict Policy: ReplicaSets with an evict strategy delete those of their pods that were asked for,
 * no faster than it says. It needs no turn: the evacuation controller asks it, and evicts when it takes too long.
 */
export class EvictStrategyController implements Controller {
  readonly name = 'evacuators/evict-strategy'
  readonly #options: EvictStrategyOptions
  readonly #asked = new Map<string, Asked>()

  constructor(options: EvictStrategyOptions) {
    this.#options = options
  }

  follow(signal: AbortSignal): Promise<void> {
    return untilAborted(signal)
  }

  synced(): Promise<void> {
    return this.#options.evacuations.synced()
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { evacuations, caches } = this.#options
    const asking: Wake = {
      open: (add) => {
        const subscription = evacuations.subscribe(({ kind, object }) => {
          const namespace = this.#note(object, kind !== 'deleted')
          if (namespace !== undefined) add(namespace)
        })
        for (const evacuation of evacuations.list()) this.#note(evacuation, true)
        for (const namespace of this.#asked.keys()) add(namespace)
        return subscription
      },
    }
    const podsAndSets: Wake = {
      open: (add) =>
        caches.subscribe(({ object }, { resource, key }) => {
          const isPodOrSet = resource.plural === pods.plural || resource.plural === replicaSets.plural
          if (isPodOrSet && this.#matters(key, object)) add(key)
        }),
    }
    const wakes = [asking, podsAndSets]
    const reconcile: Reconcile = (namespace, stop) => this.#reconcile(namespace, stop)
    await runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
    for (const namespace of this.#asked.keys()) this.#forget(namespace)
  }

  /** Resolves to the namespace in which there may be something to do now. */
  #note(evacuation: Evacuation, isThere: boolean): string | undefined {
    const { namespace, name } = evacuation.metadata
    const known = this.#asked.get(namespace)
    if (isThere && askedAt(evacuation) !== undefined) {
      const isNews = known === undefined || !known.evacuations.has(name)
      const asked = known ?? this.#follow(namespace)
      asked.evacuations.add(name)
      return isNews ? namespace : undefined
    }
    known?.evacuations.delete(name)
    known?.deleted.delete(name)
    if (known?.evacuations.size === 0) this.#forget(namespace)
    return undefined
  }

  #follow(namespace: string): Asked {
    const { caches } = this.#options
    const followings = [pods, replicaSets].map((resource) => caches.follow(namespace, { resource }))
    const asked: Asked = {
      followings,
      evacuations: new Set(),
      setUids: new Set(),
      told: new Set(),
      deleted: new Set(),
    }
    this.#asked.set(namespace, asked)
    return asked
  }

  #forget(namespace: string): void {
    for (const following of this.#asked.get(namespace)?.followings ?? []) following[Symbol.dispose]()
    this.#asked.delete(namespace)
  }

  #matters(namespace: string, object: KubernetesObject): boolean {
    const asked = this.#asked.get(namespace)
    if (asked === undefined) return false
    if (object.metadata.annotations?.[annotations.podEvictWanted] === 'true') return true
    return [object.metadata.uid, ...ownersOf(object)].some((uid) => asked.setUids.has(uid))
  }

  async #reconcile(namespace: string, signal: AbortSignal): Promise<Next> {
    const asked = this.#asked.get(namespace)
    if (asked === undefined) return settled
    await unlessAborted(Promise.all(asked.followings.map(({ synced }) => synced)), signal)
    // It may have been forgotten meanwhile, and then nothing is followed here.
    if (this.#asked.get(namespace) !== asked) return settled
    const timesMs: number[] = []
    asked.setUids.clear()
    for (const { set, wanted } of this.#wantedBySet(namespace, asked)) {
      asked.setUids.add(set.metadata.uid)
      const againAtMs = await this.#serve(set, wanted, asked, signal)
      if (againAtMs !== undefined) timesMs.push(againAtMs)
    }
    return timesMs.length === 0 ? settled : { kind: 'again', atMs: Math.min(...timesMs) }
  }

  async #serve(
    set: ReplicaSet,
    wanted: readonly Pod[],
    { told, deleted: before }: Asked,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const { caches, clock, events } = this.#options
    const { namespace, uid } = set.metadata
    const strategy = strategyOf(set)
    if (strategy.kind === 'none') return undefined
    if (strategy.kind === 'invalid') {
      const news = `${uid} ${strategy.message}`
      if (!told.has(news)) events.record(invalidStrategy(set, strategy.message))
      told.add(news)
      return undefined
    }
    const { replicas = 1, minReadySeconds = 0 } = set.spec ?? {}
    const most = unavailableMax(strategy.maxUnavailable, replicas)
    const all = caches.ownedBy(pods, namespace, uid).filter((pod) => controllerOf(pod)?.uid === uid)
    const view = { replicas, minReadySeconds, unavailableMax: most, pods: all, wanted }
    const { deleted, againAtMs } = decideDeletions(view, clock.nowMs())
    for (const pod of deleted) {
      const isDeleted = await this.#delete(pod, signal)
      before.add(evacuationName(podRefOf(pod)))
      if (isDeleted) events.record(podDeleted(set, pod.metadata.name, most))
    }
    return againAtMs
  }

  async #delete(pod: Pod, signal: AbortSignal): Promise<boolean> {
    const { kube, caches } = this.#options
    const ref = podRefOf(pod)
    // Before the answer: until the deletion shows, no controller must count on the pod.
    caches.expectToLeave(ref.uid)
    try {
      await kube.delete(pods, ref, { preconditions: { uid: ref.uid }, signal })
      return true
    } catch (error) {
      // It is gone, or another one has its name.
      if (isKubeError(error, 'notFound', 'conflict')) return false
      caches.stays(ref.uid)
      throw error
    }
  }

  #wantedBySet(namespace: string, { evacuations, deleted }: Asked) {
    const left = [...evacuations].filter((name) => !deleted.has(name))
    const asked = left.flatMap((name) => this.#options.evacuations.get({ namespace, name }) ?? [])
    const bySet = new Map<string, { set: ReplicaSet; wanted: Pod[] }>()
    for (const evacuation of asked.toSorted(byTimeAskedThenName)) {
      const found = this.#podAndSet(evacuation)
      if (found === undefined) continue
      const uid = found.set.metadata.uid
      const entry = bySet.get(uid) ?? { set: found.set, wanted: [] }
      entry.wanted.push(found.pod)
      bySet.set(uid, entry)
    }
    return bySet.values()
  }

  #podAndSet(evacuation: Evacuation) {
    const { caches } = this.#options
    const { namespace, name, uid } = podRefOfEvacuation(evacuation)
    const pod = caches.get(pods, namespace, name)
    const isWanted = pod?.metadata.annotations?.[annotations.podEvictWanted] === 'true'
    if (pod?.metadata.uid !== uid || !isWanted) return undefined
    const owner = controllerOf(pod)
    if (owner?.kind !== replicaSets.kind || !owner.apiVersion.startsWith('apps/')) return undefined
    const set = caches.get(replicaSets, namespace, owner.name)
    return set?.metadata.uid === owner.uid ? { pod, set } : undefined
  }
}

/**
 * Of the condition that the evacuation controller sets when it asks. Undefined: it did not, or the Evacuation is being
 * deleted.
 */
function askedAt({ metadata, status }: Evacuation): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return undefined
  const { controllerAsked } = evacuationConditions
  const asked = status?.conditions?.find(({ type, status: is }) => type === controllerAsked && is === 'True')
  return asked?.lastTransitionTime
}

function byTimeAskedThenName(one: Evacuation, other: Evacuation): number {
  const left = `${askedAt(one)} ${one.spec.podRef.name}`
  const right = `${askedAt(other)} ${other.spec.podRef.name}`
  if (left === right) return 0
  return left < right ? -1 : 1
}
