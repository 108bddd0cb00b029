import type { PodRef } from '../api/evacuation/pod-reference.ts'
import type { EvictionRefusal, EvictOutcome } from '../kube/client/evict-outcome.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Strategy } from './cycle/cycle.ts'
import { renderNote } from './requests.ts'
import type { PodView } from './view.ts'

// How a pod is asked to leave: one port with three forms.

export type Asked =
  | { readonly kind: 'requested' }
  /** Another sees to it in the background: the eviction was refused with words that promise so. */
  | { readonly kind: 'promised' }
  | { readonly kind: 'refused'; readonly reason: string }

export interface Asking {
  /** Nothing is really asked for: the next cycle finds everything as it was. */
  readonly isPretended?: true
  ask(pod: PodView, strategy: Strategy, signal: AbortSignal): Promise<Asked>
}

/** What a request for an evacuation comes to; see the instigator of the SDK. */
export type EvacuationOutcome =
  | { readonly kind: 'requested' | 'podGone' | 'beingCancelled' }
  | { readonly kind: 'refused'; readonly message: string }

export interface EvacuationRequests {
  request(
    pod: PodRef,
    more: {
      readonly node: string
      readonly labels: Readonly<Record<string, string>>
      readonly annotations: Readonly<Record<string, string>>
    },
    signal: AbortSignal,
  ): Promise<EvacuationOutcome>
}

export interface Evictions {
  evict(
    pod: PodRef,
    options: {
      readonly gracePeriodSeconds?: number
      readonly annotations: Readonly<Record<string, string>>
      readonly signal: AbortSignal
    },
  ): Promise<EvictOutcome>
}

/** Sends no request: each pod counts as asked for. */
export const onlyReporting: Asking = { isPretended: true, ask: () => Promise.resolve({ kind: 'requested' }) }

/** By Evacuations. Pods that ask for evictions only get those, as KEP-1397 has it. */
export function byEvacuation(
  evacuations: EvacuationRequests,
  parts: { readonly clock: Clock; readonly fallback: Asking },
): Asking {
  return {
    ask: async (pod, strategy, signal) => {
      if (pod.marks.requestEvictOnly) return parts.fallback.ask(pod, strategy, signal)
      const annotations = renderNote({ ...strategy, atMs: parts.clock.nowMs() })
      const more = { node: pod.nodeName, labels: pod.template.labels, annotations }
      const outcome = await evacuations.request(refOf(pod), more, signal)
      switch (outcome.kind) {
        case 'requested':
          return { kind: 'requested' }
        case 'podGone':
          return { kind: 'refused', reason: 'it is gone' }
        case 'beingCancelled':
          return { kind: 'refused', reason: 'its Evacuation is being cancelled' }
        case 'refused':
          return { kind: 'refused', reason: outcome.message }
      }
    },
  }
}

export interface EvictingParts {
  readonly gracePeriodSeconds: number | undefined
  /** Words in the refusal of an eviction that promise that the pod leaves later. */
  readonly messagePrefixes: readonly string[]
}

const tooManyRequests = 429

/** By evictions, as upstream does. */
export function byEviction(evictions: Evictions, parts: EvictingParts): Asking {
  const { gracePeriodSeconds, messagePrefixes } = parts
  return {
    ask: async (pod, { profile, strategy }, signal) => {
      const annotations = {
        reason: `triggered by ${profile}/${strategy}: `,
        'requested-by': 'sigs.k8s.io/descheduler',
      }
      const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }
      const outcome = await evictions.evict(refOf(pod), { ...grace, annotations, signal })
      switch (outcome.kind) {
        case 'accepted':
          return { kind: 'requested' }
        case 'gone':
          return { kind: 'refused', reason: 'it is gone' }
        case 'unknown':
          // Its machine may be on the move, and what may be on the move counts.
          if (pod.marks.requestEvictOnly) return { kind: 'promised' }
          return { kind: 'refused', reason: `whether it was evicted is unknown: ${outcome.error.message}` }
        case 'refused': {
          const reason = reasonOf(outcome.by)
          if (outcome.by.kind === 'evictionFailed' && pod.marks.requestEvictOnly) return { kind: 'promised' }
          const isPromised =
            pod.marks.requestEvictOnly &&
            outcome.code === tooManyRequests &&
            messagePrefixes.some((prefix) => reason.includes(prefix))
          return isPromised ? { kind: 'promised' } : { kind: 'refused', reason }
        }
      }
    },
  }
}

function reasonOf(refusal: EvictionRefusal): string {
  switch (refusal.kind) {
    case 'budget':
      return `budget ${refusal.budget} needs ${refusal.needed} healthy pods and has ${refusal.healthy}`
    case 'budgetUnclear':
      return refusal.message
    case 'manyBudgets':
      return 'more than one budget selects it, and the API server evicts no such pod'
    case 'admission':
    case 'evictionFailed':
    case 'evictionForbidden':
      return refusal.message
    case 'throttled':
      return 'the API server has too much to do'
  }
}

const refOf = ({ namespace, name, uid }: PodView): PodRef => ({ namespace, name, uid })
