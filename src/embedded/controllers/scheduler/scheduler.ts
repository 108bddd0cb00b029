import type { ControlLoop } from '../../../runtime/control-loop.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../server/identity.ts'
import { keyOf, type Stored, type StoreEvent, readAs } from '../../server/store.ts'
import { settled, startControlLoop } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import { recordEvent } from '../event-record.ts'
import type { Node, Pod } from '../objects.ts'
import { getObject } from '../typed-store.ts'
import { ignoring, writeStatus } from '../outcome.ts'
import { nameOf } from '../ownership.ts'
import { conditionOf, isFinished, isTerminating, withCondition } from '../pod-status.ts'
import { areSame, type Part } from '../same-parts.ts'
import { chooseNode } from './choose-node.ts'
import { viewPod } from './filter-node.ts'
import { Ledger } from './ledger.ts'
import { PendingPods } from './pending-pods.ts'

const schedulerName = 'default-scheduler'
const passKey = 'pass'
const retryKey = 'retry'
/** What of a pod on a node others see who look for one: the room that it takes up, and who selects it. */
const neighbourly: readonly Part[] = ['spec', 'labels', 'ownerReferences', 'deletionTimestamp']
/** A change somewhere may make room for those who found none; they all try again, but not more often than this. */
const retryIntervalMs = 1_000

export function startScheduler(parts: ControllerParts): AsyncDisposable {
  return new Scheduler(parts)
}

/** Gives pods their nodes, one after the other: each sees where the one before went. */
class Scheduler implements AsyncDisposable {
  readonly #parts: ControllerParts
  readonly #ledger = new Ledger()
  readonly #pending = new PendingPods()
  /** Found no node the last time. */
  readonly #unschedulable = new Map<string, Pod>()
  readonly #loop: ControlLoop
  #startAt = 0
  #retriedAtMs = Number.NEGATIVE_INFINITY

  constructor(parts: ControllerParts) {
    this.#parts = parts
    this.#loop = startControlLoop({
      name: 'scheduler',
      parts,
      concurrency: 1,
      reconcile: async (key, signal) => await this.#reconcile(key, signal),
      wakes: {
        nodes: (object, previous, type) => this.#nodeChanged(object, previous, type),
        pods: (object, previous, type) => this.#podChanged(object, previous, type),
      },
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#loop[Symbol.asyncDispose]()
  }

  #nodeChanged(object: Stored, previous: Stored | undefined, type: StoreEvent['type']): string[] {
    const node = readAs<Node>(object)
    if (type === 'DELETED') {
      this.#ledger.removeNode(node.metadata.name)
      return []
    }
    const before = readAs<Node | undefined>(previous)
    // Heartbeats change nothing that matters here.
    if (before !== undefined && isDeepStrictEqual(relevantPart(before), relevantPart(node))) return []
    this.#ledger.putNode(node)
    return this.#retrySoon()
  }

  #podChanged(object: Stored, previous: Stored | undefined, type: StoreEvent['type']): string[] {
    const pod = readAs<Pod>(object)
    if (type === 'MODIFIED' && previous !== undefined && isSameNeighbour(pod, readAs<Pod>(previous))) return []
    const key = keyOf(object.metadata)
    if (type === 'DELETED' || isAssigned(pod) || isFinished(pod)) {
      this.#pending.remove(key)
      this.#unschedulable.delete(key)
      if (type === 'DELETED') this.#ledger.removePod(key)
      else this.#ledger.putPod(key, pod)
      return isAssigned(pod) ? this.#retrySoon() : []
    }
    const failed = this.#unschedulable.get(key)
    if (failed !== undefined && isDeepStrictEqual(failed.spec, pod.spec) && !this.#hasNewLabels(failed, pod)) return []
    this.#unschedulable.delete(key)
    if ((pod.spec?.schedulerName ?? schedulerName) !== schedulerName) return []
    this.#pending.add(key, pod.spec?.priority ?? 0)
    return [passKey]
  }

  #hasNewLabels(before: Pod, now: Pod): boolean {
    return !isDeepStrictEqual(before.metadata.labels, now.metadata.labels)
  }

  /** Not a key to run at once: the retry comes when it is due. */
  #retrySoon(): string[] {
    if (this.#unschedulable.size === 0) return []
    const delayMs = this.#retriedAtMs + retryIntervalMs - this.#parts.clock.monotonicMs()
    if (delayMs <= 0) return [retryKey]
    this.#loop.addAfter(retryKey, delayMs)
    return []
  }

  async #reconcile(key: string, signal: AbortSignal): Promise<Next> {
    if (key === retryKey) {
      this.#retriedAtMs = this.#parts.clock.monotonicMs()
      for (const [waiting, pod] of this.#unschedulable) this.#pending.add(waiting, pod.spec?.priority ?? 0)
      this.#unschedulable.clear()
    }
    for (let next = this.#pending.next(); next !== undefined && !signal.aborted; next = this.#pending.next()) {
      await this.#schedule(next)
    }
    return settled
  }

  async #schedule(key: string): Promise<void> {
    const { store, api } = this.#parts
    const pod = getObject(store, 'pods', key)
    if (pod === undefined || isAssigned(pod) || isTerminating(pod)) return
    const gates = pod.spec?.schedulingGates ?? []
    if (gates.length > 0) return await this.#tellGated(pod)
    const view = viewPod(pod, this.#ledger, (namespace) => store.get('namespaces', namespace)?.metadata.labels ?? {})
    const choice = chooseNode(view, this.#ledger, this.#startAt)
    if (choice.kind === 'none') return await this.#tellUnschedulable(key, pod, choice.message)
    this.#startAt += choice.checked
    // Conflict: deleted, or bound by someone else; either way there is nothing left to do.
    await ignoring(['Conflict', 'NotFound'], api.bind(nameOf(pod.metadata), choice.nodeName))
  }

  async #tellGated(pod: Pod): Promise<void> {
    if (conditionOf(pod, 'PodScheduled')?.reason === 'SchedulingGated') return
    const message = 'Scheduling is blocked due to non-empty scheduling gates'
    await this.#tell(pod, 'SchedulingGated', message)
  }

  async #tellUnschedulable(key: string, pod: Pod, message: string): Promise<void> {
    this.#unschedulable.set(key, pod)
    await this.#tell(pod, 'Unschedulable', message)
    const about = { apiVersion: 'v1', kind: 'Pod', metadata: pod.metadata }
    const event = { type: 'Warning', reason: 'FailedScheduling', message, component: schedulerName } as const
    await recordEvent(this.#parts, about, event)
  }

  async #tell(pod: Pod, reason: string, message: string): Promise<void> {
    const now = timestamp(this.#parts.clock.nowMs())
    const condition = { type: 'PodScheduled', status: 'False', reason, message, lastProbeTime: null }
    const conditions = withCondition(pod.status?.conditions, condition, now)
    await writeStatus(this.#parts, 'pods', pod, { ...pod.status, phase: pod.status?.phase ?? 'Pending', conditions })
  }
}

function isAssigned({ spec }: Pod): boolean {
  return (spec?.nodeName ?? '') !== ''
}

function isSameNeighbour(pod: Pod, before: Pod): boolean {
  return isAssigned(before) && areSame(neighbourly, pod, before) && isFinished(pod) === isFinished(before)
}

function relevantPart({ metadata, spec, status }: Node): unknown {
  return { labels: metadata.labels, spec, allocatable: status?.allocatable }
}
