import type { Pod } from '../api/kubernetes/core.ts'
import { isReady } from '../api/kubernetes/pod-availability.ts'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import { podDisruptionBudgets } from '../api/kubernetes/resources.ts'
import { InformerPool, type Following, type InformerParts } from '../kube/watch/informer-pool.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { byNamespace, wholeKind } from '../kube/watch/whole-kind.ts'
import { unlessAborted } from '../kube/single-flight.ts'
import { covering, mayGo, wokenBy, type Candidate, type Waiter } from './wake-by-budget.ts'

export interface NamedBudget {
  readonly name: string
  readonly healthy: number
  readonly needed: number
}

export interface Waking {
  /** The pod of a waiter as it is now; undefined: it would not be evicted even if there were room. */
  podOf(key: string): Pod | undefined
  wake(key: string): void
}

type Watched = {
  readonly following: Following
  readonly waiters: Map<string, Waiter>
  /** By budget, the number of its last change. */
  readonly changed: Map<string, number>
}

/** There are few budgets in a cluster: one watch of all is soon cheaper than one for each namespace. */
const namespacesMax = 10

/** Wakes evacuations when the budget that refused them makes room. Watches the namespaces where one waits, no other. */
export class BudgetWatch {
  readonly #waking: Waking
  readonly #pool: InformerPool<PodDisruptionBudget>
  readonly #namespaces = new Map<string, Watched>()
  #changes = 0

  constructor(parts: InformerParts, waking: Waking) {
    this.#waking = waking
    const options = { ...parts, resource: podDisruptionBudgets }
    const whole = byNamespace(wholeKind<PodDisruptionBudget>(options), { above: () => namespacesMax })
    this.#pool = new InformerPool({ ...options, selectionOf: (namespace) => ({ namespace }), whole })
    this.#pool.subscribe((change, namespace) => this.#changed(namespace, change))
  }

  get size(): number {
    return this.#pool.size
  }

  /** Taken before an eviction is asked for, so that what changes before its refusal is here is not missed. */
  moment(): number {
    return this.#changes
  }

  wait(namespace: string, waiter: Waiter, moment: number): void {
    const known = this.#namespaces.get(namespace) ?? this.#follow(namespace)
    known.waiters.set(waiter.key, waiter)
    const changes = waiter.budget === undefined ? [...known.changed.values()] : [known.changed.get(waiter.budget) ?? 0]
    if (changes.some((change) => change > moment)) this.#look(namespace, known, waiter.key)
  }

  /** Something was seen of the pod: unready, it may be evicted where it was not. */
  podChanged(namespace: string, key: string): void {
    const known = this.#namespaces.get(namespace)
    const waiter = known?.waiters.get(key)
    if (known === undefined || waiter?.wasReady !== true) return
    if (this.#candidates([waiter]).some((candidate) => !candidate.isReady)) this.#look(namespace, known, key)
  }

  forget(namespace: string, key: string): void {
    const known = this.#namespaces.get(namespace)
    if (known === undefined) return
    known.waiters.delete(key)
    if (known.waiters.size > 0) return
    this.#namespaces.delete(namespace)
    known.following[Symbol.dispose]()
  }

  /** The budgets that cover a pod with these labels, in a namespace where an Evacuation waits. */
  async covering(
    namespace: string,
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly NamedBudget[]> {
    const informer = this.#pool.get(namespace)
    if (informer === undefined) return []
    await unlessAborted(informer.synced(), signal)
    return covering(informer.list(), labels)
      .map(({ metadata: { name }, status: { currentHealthy = 0, desiredHealthy = 0 } = {} }) => {
        return { name, healthy: currentHealthy, needed: desiredHealthy }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  [Symbol.dispose](): void {
    this.#namespaces.clear()
    this.#pool[Symbol.dispose]()
  }

  #follow(namespace: string): Watched {
    const known = { following: this.#pool.follow(namespace), waiters: new Map(), changed: new Map() }
    this.#namespaces.set(namespace, known)
    // What the first list shows is newer than the refusals before it.
    void known.following.synced.then(() => this.#look(namespace, known))
    return known
  }

  #changed(namespace: string, change: Change<PodDisruptionBudget>): void {
    const known = this.#namespaces.get(namespace)
    if (known === undefined) return
    known.changed.set(change.object.metadata.name, ++this.#changes)
    if (this.#pool.get(namespace)?.isSynced !== true) return
    this.#wake(known, wokenBy(change, this.#candidates(known.waiters.values())))
  }

  /** Compares with what the watch shows, for all waiters or this one. */
  #look(namespace: string, known: Watched, only?: string): void {
    const informer = this.#pool.get(namespace)
    if (informer?.isSynced !== true || this.#namespaces.get(namespace) !== known) return
    const woken = mayGo(informer.list(), this.#candidates(known.waiters.values()))
    this.#wake(known, only === undefined ? woken : woken.filter((key) => key === only))
  }

  #candidates(waiters: Iterable<Waiter>): Candidate[] {
    return [...waiters].flatMap((waiter) => {
      const pod = this.#waking.podOf(waiter.key)
      return pod === undefined ? [] : [{ ...waiter, isReady: isReady(pod), labels: pod.metadata.labels ?? {} }]
    })
  }

  #wake({ waiters }: Watched, keys: readonly string[]): void {
    for (const key of keys) {
      // It waits again if it is refused again; the watch continues until it is forgotten.
      waiters.delete(key)
      this.#waking.wake(key)
    }
  }
}
