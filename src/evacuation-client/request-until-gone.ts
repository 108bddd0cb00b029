import type { EvacuationRequest } from './build-evacuation.ts'
import { evacuationName } from '../api/evacuation/evacuation-name.ts'
import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import { Informer } from '../kube/watch/informer.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import type { Kube } from '../kube/client/client.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { unlessAborted } from '../kube/single-flight.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import { requestEvacuation, type RequestOutcome } from './request-evacuation.ts'

export interface LastingRequest extends EvacuationRequest {
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Ends the wait, not the evacuation: withdrawEvacuation does that. */
  readonly signal: AbortSignal
}

/**
 * Asks for the evacuation of a pod and follows it until the pod is gone, or the request is refused. An Evacuation that
 * a user deletes is let go and asked for again. Follows one object by a watch, and asks only when something happened.
 */
export async function requestUntilGone(
  options: LastingRequest,
): Promise<Extract<RequestOutcome, { kind: 'podGone' | 'refused' }>> {
  const { kube, pod, signal } = options
  const stop = new AbortController()
  const within = AbortSignal.any([signal, stop.signal])
  const selection = { namespace: pod.namespace, fieldSelector: `metadata.name=${evacuationName(pod)}` }
  const informer = new Informer({ ...options, metrics: noKubeMetrics, resource: evacuations, selection })
  let woken = Promise.withResolvers<void>()
  using _subscription = informer.subscribe((change) => {
    if (!isNews(change)) return
    woken.resolve()
    woken = Promise.withResolvers<void>()
  })
  const following = informer.run(within)
  try {
    // Before the first request: whatever happens to the Evacuation afterwards is seen.
    await unlessAborted(informer.synced(), signal)
    for (;;) {
      const next = woken.promise
      const outcome = await requestEvacuation(kube, options)
      if (outcome.kind === 'podGone' || outcome.kind === 'refused') return outcome
      await unlessAborted(next, signal)
    }
  } finally {
    stop.abort(new Error('the request was withdrawn'))
    await following
  }
}

/** It has been deleted, or is gone. Everything else is for others to act on. */
function isNews(change: Change<Evacuation>): boolean {
  if (change.kind !== 'updated') return change.kind === 'deleted'
  const isEnding = change.object.metadata.deletionTimestamp !== undefined
  return isEnding && change.previous.metadata.deletionTimestamp === undefined
}
