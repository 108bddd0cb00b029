import type { ClusterEvent, EventSubject } from '../kube/events/cluster-event.ts'
import { assert } from '../runtime/assert.ts'
import type { Asked } from './asking.ts'
import type { Strategy } from './cycle/cycle.ts'
import { isEvicted, type Mode } from './mode.ts'
import type { Limits } from './policy/policy.ts'
import type { Cut } from './report/report.ts'
import type { LimitReached } from './cycle/tally.ts'
import type { PodView } from './view.ts'

// Everything that the descheduler reports as an Event. All are on the pod. Words about evictions are upstream's, see
// pkg/descheduler/evictions/evictions.go there: people have alerts on them.

export function podEvicted(pod: PodView, { strategy }: Strategy): ClusterEvent {
  return { about: about(pod), type: 'Normal', reason: strategy, note: evictionOf(pod) }
}

export function podAskedToLeave(pod: PodView, { profile, strategy }: Strategy): ClusterEvent {
  const note = `Asked to leave ${pod.nodeName}: ${profile}/${strategy}`
  return { about: about(pod), type: 'Normal', reason: strategy, note }
}

/** Only with `evictionFailureEventNotification`. */
export function evictionFailed(pod: PodView, why: string): ClusterEvent {
  return { about: about(pod), type: 'Warning', reason: 'EvictionFailed', note: `${evictionOf(pod)} failed: ${why}` }
}

/** Only with `evictionFailureEventNotification`. */
export function limitExceeded({ pod, limit }: Cut, limits: Limits): ClusterEvent {
  const { name, field } = limitNames[limit]
  const max = limits[field]
  assert(max !== undefined, 'a limit that is not set stops no pod')
  return evictionFailed(pod, `${name} eviction limit exceeded (${max})`)
}

/** The Event about a request. A promise has none: upstream is silent about it, too. */
export function eventOfAsked(
  pod: PodView,
  strategy: Strategy,
  parts: { readonly asked: Asked; readonly mode: Mode; readonly tellsFailures: boolean },
): ClusterEvent | undefined {
  const { asked, mode, tellsFailures } = parts
  switch (asked.kind) {
    case 'requested':
      return isEvicted(mode, pod) ? podEvicted(pod, strategy) : podAskedToLeave(pod, strategy)
    case 'promised':
      return undefined
    case 'refused':
      return tellsFailures ? evictionFailed(pod, asked.reason) : undefined
  }
}

const limitNames: Readonly<Record<LimitReached, { readonly name: string; readonly field: keyof Limits }>> = {
  totalLimit: { name: 'total', field: 'total' },
  nodeLimit: { name: 'node', field: 'perNode' },
  namespaceLimit: { name: 'namespace', field: 'perNamespace' },
}

const evictionOf = ({ nodeName }: PodView): string => `pod eviction from ${nodeName} node by sigs.k8s.io/descheduler`

const about = ({ namespace, name, uid }: PodView): EventSubject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, uid },
})
