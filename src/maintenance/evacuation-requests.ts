import type { Instigator } from '../evacuation-client/instigator.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Next } from '../runtime/work-queue.ts'
import { evacuationRefused } from './events.ts'
import type { MaintenanceMetrics } from './metrics.ts'

export interface EvacuationRequestsOptions {
  readonly clock: Clock
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: MaintenanceMetrics
  readonly instigator: Pick<Instigator, 'request' | 'withdraw'>
  /** The pod, if its turn has come and nobody has asked for its evacuation. */
  readonly findDue: (node: string, key: { readonly namespace: string; readonly name: string }) => Pod | undefined
  /** The oldest that drains the node. */
  readonly maintenanceOf: (node: string) => NodeMaintenance | undefined
}

const settled: Next = { kind: 'settled' }
const againAfterMs = { cancelled: 1_000, refused: 30_000 }

/** Sees to it that every pod whose turn has come has an Evacuation. That is all a drain does (KEP-4212). */
export class EvacuationRequests {
  readonly #options: EvacuationRequestsOptions
  /** Until when a pod whose request was refused is not asked for again, whatever changes on its node meanwhile. */
  readonly #refusals = new Map<string, { readonly uid: string | undefined; readonly untilMs: number }>()

  constructor(options: EvacuationRequestsOptions) {
    this.#options = options
  }

  /** The key is `NODE/NAMESPACE/NAME`. */
  async reconcile(key: string, signal: AbortSignal): Promise<Next> {
    const { clock, events, metrics, instigator, findDue, maintenanceOf } = this.#options
    const [node = '', namespace = '', name = ''] = key.split('/')
    const pod = findDue(node, { namespace, name })
    const refusal = this.#refusals.get(key)
    const isRefused = refusal !== undefined && refusal.uid === pod?.metadata.uid && clock.nowMs() < refusal.untilMs
    if (isRefused) return { kind: 'again', atMs: refusal.untilMs }
    this.#refusals.delete(key)
    if (pod === undefined) return settled
    const outcome = await instigator.request(pod, signal)
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
        const maintenance = maintenanceOf(node)
        if (maintenance !== undefined) {
          events.record(evacuationRefused(maintenance, `${namespace}/${name}`, outcome.message))
        }
        const atMs = clock.nowMs() + againAfterMs.refused
        this.#refusals.set(key, { uid: pod.metadata.uid, untilMs: atMs })
        return { kind: 'again', atMs }
      }
      default:
        return outcome satisfies never
    }
  }
}
