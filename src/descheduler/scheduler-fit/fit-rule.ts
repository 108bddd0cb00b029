import type { PodTemplateView, PodView } from '../view.ts'

// What the scheduler asks of a node besides what a node says of itself. The pod that is to go counts nowhere.

/** What a rule says depends on the pod that asks only by this: pods with equal shares get the same answers. */
export interface Share {
  /** The domain in which the pod itself does not count. Its own node is never asked about, so a domain of one is none. */
  readonly own: number
  /** By the rule: how many others there are, or must be, in a domain. */
  readonly floor: number
}

export interface FitRule {
  /** Rules with the same key say the same. */
  readonly key: string
  /** Grows whenever an answer may have changed. */
  readonly version: number
  shareOf(pod: PodView): Share
  /** In words that follow "the node"; undefined: it fits. */
  misfitAt(position: number, share: Share): string | undefined
}

/** A pod of a template, wherever it is. */
export interface Newcomer {
  readonly namespace: string
  readonly template: PodTemplateView
}
