import { matchesLabelSelector } from '../api/kubernetes/label-selector.ts'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import { podDisruptionBudgets } from '../api/kubernetes/resources.ts'
import { InformerPool, type Following, type InformerParts } from '../kube/watch/informer-pool.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { unlessAborted } from '../kube/single-flight.ts'
import { wokenBy, type Waiter } from './wake-by-budget.ts'

export interface NamedBudget {
  readonly name: string
  readonly healthy: number
  readonly needed: number
}

/** Wakes evacuations when the budget that refused them makes room. Watches the namespaces where one waits, no other. */
export class BudgetWatch {
  readonly #wake: (key: string) => void
  readonly #pool: InformerPool<PodDisruptionBudget>
  readonly #namespaces = new Map<string, { readonly following: Following; readonly waiters: Map<string, Waiter> }>()

  constructor(parts: InformerParts, wake: (key: string) => void) {
    this.#wake = wake
    const selectionOf = (namespace: string) => ({ namespace })
    this.#pool = new InformerPool({ ...parts, resource: podDisruptionBudgets, selectionOf })
    this.#pool.subscribe((change, namespace) => this.#changed(namespace, change))
  }

  get size(): number {
    return this.#pool.size
  }

  wait(namespace: string, waiter: Waiter): void {
    const known = this.#namespaces.get(namespace) ?? { following: this.#pool.follow(namespace), waiters: new Map() }
    this.#namespaces.set(namespace, known)
    known.waiters.set(waiter.key, waiter)
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
    return informer
      .list()
      .filter(({ spec }) => spec?.selector !== undefined && matchesLabelSelector(spec.selector, labels))
      .map(({ metadata: { name }, status: { currentHealthy = 0, desiredHealthy = 0 } = {} }) => {
        return { name, healthy: currentHealthy, needed: desiredHealthy }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  [Symbol.dispose](): void {
    this.#namespaces.clear()
    this.#pool[Symbol.dispose]()
  }

  #changed(namespace: string, change: Change<PodDisruptionBudget>): void {
    const waiters = this.#namespaces.get(namespace)?.waiters ?? new Map<string, Waiter>()
    for (const key of wokenBy(change, [...waiters.values()])) {
      // It waits again if it is refused again; the watch continues until it is forgotten.
      waiters.delete(key)
      this.#wake(key)
    }
  }
}
