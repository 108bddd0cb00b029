import { matchesLabelSelector } from '../api/label-selector.ts'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import { podDisruptionBudgets } from '../api/kubernetes/resources.ts'
import type { NodePodsOptions } from '../kube/node-pods.ts'
import { Informer } from '../kube/informer.ts'
import type { Change } from '../kube/object-cache.ts'
import { unlessAborted } from '../kube/single-flight.ts'
import { wokenBy, type Waiter } from './wake-by-budget.ts'

export interface NamedBudget {
  readonly name: string
  readonly healthy: number
  readonly needed: number
}

type Namespace = {
  readonly informer: Informer<PodDisruptionBudget>
  readonly stop: AbortController
  readonly waiters: Map<string, Waiter>
}

/** Wakes evacuations when the budget that refused them makes room. Watches the namespaces where one waits, no other. */
export class BudgetWatch {
  readonly #options: NodePodsOptions
  readonly #wake: (key: string) => void
  readonly #namespaces = new Map<string, Namespace>()

  constructor(options: NodePodsOptions, wake: (key: string) => void) {
    this.#options = options
    this.#wake = wake
  }

  get size(): number {
    return this.#namespaces.size
  }

  wait(namespace: string, waiter: Waiter): void {
    const { waiters } = this.#namespaces.get(namespace) ?? this.#start(namespace)
    waiters.set(waiter.key, waiter)
  }

  forget(namespace: string, key: string): void {
    const known = this.#namespaces.get(namespace)
    if (known === undefined) return
    known.waiters.delete(key)
    if (known.waiters.size > 0) return
    this.#namespaces.delete(namespace)
    known.stop.abort(new Error('nobody waits for a budget here any more'))
  }

  /** The budgets that cover a pod with these labels, in a namespace where somebody waits. */
  async covering(
    namespace: string,
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<readonly NamedBudget[]> {
    const informer = this.#namespaces.get(namespace)?.informer
    if (informer === undefined) return []
    await unlessAborted(informer.synced(), signal)
    return informer
      .list()
      .filter(({ spec }) => spec?.selector !== undefined && matchesLabelSelector(spec.selector, labels))
      .map(({ metadata: { name = '' }, status: { currentHealthy = 0, desiredHealthy = 0 } = {} }) => {
        return { name, healthy: currentHealthy, needed: desiredHealthy }
      })
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  [Symbol.dispose](): void {
    for (const { stop } of this.#namespaces.values()) stop.abort(new Error('no budgets are watched any more'))
    this.#namespaces.clear()
  }

  #start(namespace: string): Namespace {
    const informer = new Informer({ ...this.#options, resource: podDisruptionBudgets, selection: { namespace } })
    const started: Namespace = { informer, stop: new AbortController(), waiters: new Map() }
    this.#namespaces.set(namespace, started)
    informer.subscribe((change) => this.#changed(started, change))
    void informer.run(started.stop.signal)
    return started
  }

  #changed({ waiters }: Namespace, change: Change<PodDisruptionBudget>): void {
    for (const key of wokenBy(change, [...waiters.values()])) {
      // It waits again if it is refused again; the watch goes on until it is forgotten.
      waiters.delete(key)
      this.#wake(key)
    }
  }
}
