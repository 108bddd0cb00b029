import type { Refusal } from '../plugin.ts'
import type { PluginName } from '../policy/policy.ts'
import type { LimitReached } from '../cycle/tally.ts'
import type { PodView } from '../view.ts'

/** What one strategy of one profile did in a cycle, or would have done. */
export interface StrategyReport {
  readonly profile: string
  readonly strategy: PluginName
  /** Asked to leave. */
  readonly left: readonly PodView[]
  /** Was leaving before: nothing was asked. */
  readonly leaving: readonly PodView[]
  /** Wanted by the strategy, and protected. */
  readonly spared: readonly Spared[]
  /** Wanted, not protected, and refused by a rule of Lifeboat or by the cluster. */
  readonly refused: readonly Spared[]
  /** Wanted, and one too many. */
  readonly cut: readonly Cut[]
  /** Why the strategy ended early. */
  readonly failure: string | undefined
}

export interface Spared {
  readonly pod: PodView
  readonly reason: string
}

export interface Cut {
  readonly pod: PodView
  readonly limit: LimitReached
}

export class StrategyRecord {
  readonly #strategy: Pick<StrategyReport, 'profile' | 'strategy'>
  readonly #left: PodView[] = []
  readonly #leaving: PodView[] = []
  /** By UID: a strategy may ask about a pod more than once. */
  readonly #spared = new Map<string, Spared>()
  readonly #refused: Spared[] = []
  readonly #cut: Cut[] = []
  #failure: string | undefined

  constructor(strategy: Pick<StrategyReport, 'profile' | 'strategy'>) {
    this.#strategy = strategy
  }

  leaves(pod: PodView): void {
    this.#left.push(pod)
  }

  isLeaving(pod: PodView): void {
    this.#leaving.push(pod)
  }

  isRefused(pod: PodView, reason: string): void {
    this.#refused.push({ pod, reason })
  }

  /** Hands the limit on. */
  isCut(pod: PodView, limit: LimitReached): LimitReached {
    this.#cut.push({ pod, limit })
    return limit
  }

  fail(message: string): void {
    this.#failure = message
  }

  /** Hands the refusal on. */
  noteSpared(pod: PodView, reason: Refusal): Refusal {
    if (reason !== undefined && !this.#spared.has(pod.uid)) this.#spared.set(pod.uid, { pod, reason })
    return reason
  }

  close(): StrategyReport {
    return {
      ...this.#strategy,
      left: this.#left,
      leaving: this.#leaving,
      spared: [...this.#spared.values()],
      refused: this.#refused,
      cut: this.#cut,
      failure: this.#failure,
    }
  }
}
