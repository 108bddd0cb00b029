import type { Instigator } from '../../evacuation-client/instigator.ts'
import { idOf } from '../../api/kubernetes/object-id.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Next } from '../../runtime/work-queue.ts'
import { podOfId } from '../drain-book.ts'
import type { DrainState } from '../drain-state.ts'
import { evacuationRefused } from '../events.ts'
import type { MaintenanceMetrics } from '../metrics.ts'

export interface EvacuationRequestsOptions {
  readonly clock: Clock
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: Pick<MaintenanceMetrics, 'requested'>
  readonly instigator: Pick<Instigator, 'request'>
  readonly state: Pick<DrainState, 'duePod'>
}

const settled: Next = { kind: 'settled' }
const againAfterMs = { cancelled: 1_000, refused: 30_000 }

/** Sees to it that every pod whose turn has come has an Evacuation. That is all a drain does (KEP-4212). */
export class EvacuationRequests {
  readonly #options: EvacuationRequestsOptions
  /** Until when a pod whose request was refused is not asked for again, whatever changes on its node meanwhile. */
  readonly #refusals = new Map<string, { readonly uid: string; readonly untilMs: number }>()

  constructor(options: EvacuationRequestsOptions) {
    this.#options = options
  }

  /** The key is `NODE/NAMESPACE/NAME`. */
  async reconcile(key: string, signal: AbortSignal): Promise<Next> {
    const { clock, events, metrics, instigator, state } = this.#options
    const due = state.duePod(podOfId(key))
    const refusal = this.#refusals.get(key)
    const isRefused = refusal !== undefined && refusal.uid === due?.pod.metadata.uid && clock.nowMs() < refusal.untilMs
    if (isRefused) return { kind: 'again', atMs: refusal.untilMs }
    this.#refusals.delete(key)
    if (due === undefined) return settled
    const outcome = await instigator.request(due.pod, signal)
    switch (outcome.kind) {
      case 'requested':
        metrics.requested('requested')
        return settled
      case 'podGone':
        metrics.requested('gone')
        return settled
      case 'beingCancelled':
        return { kind: 'again', atMs: clock.nowMs() + againAfterMs.cancelled }
      case 'refused': {
        metrics.requested('refused')
        const { pod, maintenance } = due
        if (maintenance !== undefined) {
          events.record(evacuationRefused(maintenance, idOf(pod.metadata), outcome.message))
        }
        const untilMs = clock.nowMs() + againAfterMs.refused
        this.#refusals.set(key, { uid: pod.metadata.uid, untilMs })
        return { kind: 'again', atMs: untilMs }
      }
      default:
        return outcome satisfies never
    }
  }
}
