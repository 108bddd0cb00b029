import { matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import type { BudgetView, PodView } from '../view.ts'

/** Which pods a PodDisruptionBudget selects, without a look at every budget of the namespace for every pod. */
export class BudgetCoverage {
  /** By namespace and the first label that the selector asks for, or by namespace alone if it asks for none. */
  readonly #budgets: ReadonlyMap<string, readonly BudgetView[]>

  constructor(budgets: readonly BudgetView[]) {
    this.#budgets = Map.groupBy(budgets, ({ namespace, selector }) => {
      const [label] = Object.entries(selector?.matchLabels ?? {})
      return label === undefined ? namespace : keyOf(namespace, label)
    })
  }

  covers({ namespace, template: { labels } }: PodView): boolean {
    const keys = [namespace, ...Object.entries(labels).map((label) => keyOf(namespace, label))]
    return keys.some((key) =>
      // A budget without a selector selects nothing, one with an empty selector everything.
      this.#budgets.get(key)?.some(({ selector }) => selector !== undefined && matchesLabelSelector(selector, labels)),
    )
  }
}

const keyOf = (namespace: string, [key, value]: readonly [string, string]) => `${namespace} ${key}=${value}`
