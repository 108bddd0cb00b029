import type { Blocker } from '../api/blocker.ts'
import { evacuations, newEvacuationStatus, type Evacuation } from '../api/evacuation.ts'
import { instigatorFinalizer, withoutFinalizer, withoutInstigatorFinalizers } from '../api/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { annotations, instigators } from '../api/names.ts'
import { podRefOfEvacuation } from '../api/pod-reference.ts'
import { backoffMs, type BackoffOptions } from '../runtime/backoff.ts'
import type { Clock } from '../runtime/clock.ts'
import type { RandomStream } from '../runtime/random.ts'
import type { Next } from '../runtime/work-queue.ts'
import { keyOf, type Kube } from '../kube/client.ts'
import type { ClusterEvent } from '../kube/cluster-event.ts'
import { isKubeError } from '../kube/errors.ts'
import type { EvictionRefusal, EvictOutcome } from '../kube/evict-outcome.ts'
import type { BudgetWatch, NamedBudget } from './budget-watch.ts'
import { decide, type Decision, type Wait } from './decide.ts'
import * as tell from './events.ts'
import type { EvacuationMetrics } from './metrics.ts'
import * as change from './status-changes.ts'
import type { TrackedPods } from './tracked-pods.ts'
import type { EvacuationSettings, LastEviction } from './view.ts'

export interface ReconcileOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly jitter: RandomStream
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: EvacuationMetrics
  readonly settings: EvacuationSettings
  readonly trackedPods: TrackedPods
  readonly budgets: BudgetWatch
  /** As the cache has it. */
  readonly get: (key: string) => DeepReadonly<Evacuation> | undefined
}

/** KEP-4563: exponential, to approximately 15 minutes at most. */
export const evictionBackoff: BackoffOptions = { initialMs: 1_000, maxMs: 15 * 60_000, jitter: 0.1 }
/** When the cache is behind what was written, its next event brings the key back; this is for the case that none comes. */
const behindMs = 1_000

type Known = { readonly evacuation: DeepReadonly<Evacuation>; lastEviction?: LastEviction | undefined; finished?: true }
type Step = { readonly known: Known; readonly pod: DeepReadonly<Pod> | undefined; readonly signal: AbortSignal }

type Refused = Extract<EvictOutcome, { kind: 'refused' }>

const settled: Next = { kind: 'settled' }

/** Carries out what decide says about one Evacuation. Holds nothing that a restart could not do without. */
export class Reconciler {
  readonly #options: ReconcileOptions
  readonly #known = new Map<string, Known>()

  constructor(options: ReconcileOptions) {
    this.#options = options
  }

  /** A budget has room: the eviction need not wait for the end of its back-off. */
  retryNow(key: string): void {
    const known = this.#known.get(key)
    if (known?.lastEviction?.kind !== 'refused') return
    known.lastEviction = { ...known.lastEviction, retryAtMs: this.#options.clock.nowMs() }
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Next> {
    const evacuation = this.#options.get(key)
    const before = this.#known.get(key)
    if (before !== undefined && before.evacuation.metadata.uid !== evacuation?.metadata.uid) this.#forget(key, before)
    if (evacuation === undefined) return settled
    const known: Known = { ...this.#known.get(key), evacuation }
    this.#known.set(key, known)
    const { trackedPods, settings, clock } = this.#options
    const pod = await trackedPods.look(podRefOfEvacuation(evacuation), signal)
    const decision = decide({ evacuation, pod, lastEviction: known.lastEviction, settings }, clock.nowMs())
    try {
      return await this.#apply(decision, { known, pod, signal })
    } catch (error) {
      // Somebody was faster, or it is gone: the event about that is on its way.
      if (isKubeError(error, 'conflict', 'notFound')) return this.#again(behindMs)
      throw error
    }
  }

  async #apply(decision: Decision, step: Step): Promise<Next> {
    const { events, clock } = this.#options
    const { evacuation } = step.known
    switch (decision.kind) {
      case 'finish':
        return this.#finish(step)
      case 'tidyPod':
        await this.#annotatePod(step, Object.fromEntries(decision.annotations.map((name) => [name, null])))
        return this.#again(behindMs)
      case 'lapse':
        await this.#setFinalizers(step, withoutFinalizer(evacuation.metadata.finalizers, interception))
        return settled
      case 'cancel':
        await this.#cancel(step)
        return settled
      case 'select':
        await this.#setStatus(step, change.selected(evacuation, decision.evacuatorClass, clock.nowMs()))
        events.record(tell.evacuatorSelected(evacuation, decision.evacuatorClass))
        return settled
      case 'switch':
        await this.#setStatus(step, change.switched(evacuation, decision, clock.nowMs()))
        events.record(tell.evacuatorSwitched(evacuation, decision))
        return settled
      case 'askController':
        return this.#askController(step)
      case 'recordRefusal':
        return this.#recordRefusal(step, decision.blocker)
      case 'evict':
        return this.#evict(step)
      case 'wait':
        return this.#wait(step, decision)
      default:
        return decision satisfies never
    }
  }

  /** The pod is gone. Finalizers first: what others hold then keeps the object, and nothing else does. */
  async #finish(step: Step): Promise<Next> {
    const { known, signal } = step
    const { metadata } = known.evacuation
    // The cache has not seen yet what was done.
    if (known.finished) return settled
    const left = withoutInstigatorFinalizers(metadata.finalizers)
    if (left.length < (metadata.finalizers?.length ?? 0)) await this.#setFinalizers(step, left)
    if (metadata.deletionTimestamp === undefined) await this.#delete(known.evacuation, {}, signal)
    known.finished = true
    return settled
  }

  /** The version guards against an instigator that joins at this moment. */
  async #cancel({ known: { evacuation }, signal }: Step): Promise<void> {
    const { resourceVersion } = evacuation.metadata
    await this.#delete(evacuation, resourceVersion === undefined ? {} : { resourceVersion }, signal)
    this.#options.events.record(tell.evacuationCancelled(evacuation))
  }

  async #delete(
    evacuation: DeepReadonly<Evacuation>,
    guard: { readonly resourceVersion?: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { uid = '' } = evacuation.metadata
    await this.#options.kube.delete(evacuations, keyOf(evacuation), { preconditions: { uid, ...guard }, signal })
  }

  async #askController(step: Step): Promise<Next> {
    const { clock, settings, events } = this.#options
    const { evacuation } = step.known
    const timeoutMs = settings.controllerEvictTimeoutMs
    const blocker = { kind: 'controllerTakeover', pod: podRefOfEvacuation(evacuation), waitedMs: 0, timeoutMs } as const
    // First since when, then the question: killed in between, the question is asked and the time is not forgotten.
    const asked = change.controllerAsked(evacuation, blocker, clock.nowMs())
    if (asked !== undefined) {
      await this.#setStatus(step, asked)
      events.record(tell.controllerWasAsked(evacuation, timeoutMs))
    }
    await this.#annotatePod(step, { [annotations.podEvictWanted]: 'true' })
    return this.#again(behindMs)
  }

  async #evict(step: Step): Promise<Next> {
    const { kube, metrics, events } = this.#options
    const { known, pod, signal } = step
    const { evacuation } = known
    const ref = podRefOfEvacuation(evacuation)
    const outcome = await kube.evict(ref, { signal })
    metrics.evicted(ref.namespace, outcome.kind)
    switch (outcome.kind) {
      case 'accepted':
        if (pod !== undefined) events.record(tell.podEvicted(evacuation, pod))
        return this.#evictionShows(known)
      case 'unknown':
        return this.#evictionShows(known)
      case 'gone':
        // Its event is on its way, or was there before anybody looked: then the next look asks the API server.
        this.#options.trackedPods.forget(ref)
        return this.#again(0)
      case 'refused':
        return this.#refused(step, outcome)
      default:
        return outcome satisfies never
    }
  }

  #evictionShows(known: Known): Next {
    known.lastEviction = { kind: 'asked', atMs: this.#options.clock.nowMs() }
    return this.#again(0)
  }

  async #refused(step: Step, { by, retryAfterSeconds = 0 }: Refused): Promise<Next> {
    const { clock, jitter } = this.#options
    const { evacuation } = step.known
    // Before anything else: a budget that makes room meanwhile must not go unnoticed.
    const isBudget = by.kind === 'budget' || by.kind === 'budgetUnclear' || by.kind === 'manyBudgets'
    if (isBudget) this.#waitForBudget(step, by.kind === 'manyBudgets' ? undefined : by.budget)
    const blocker = { ...by, pod: podRefOfEvacuation(evacuation), ...(await this.#budgetsNamed(step, by)) }
    const failures = (evacuation.status ?? newEvacuationStatus).failedEvictionCounter + 1
    const delayMs = Math.max(backoffMs(failures, evictionBackoff, jitter), retryAfterSeconds * 1_000)
    step.known.lastEviction = { kind: 'refused', blocker, retryAtMs: clock.nowMs() + delayMs, recorded: false }
    return this.#recordRefusal(step, blocker)
  }

  #waitForBudget({ known: { evacuation }, pod }: Step, budget: string | undefined): void {
    const { namespace = '', creationTimestamp = '' } = evacuation.metadata
    const podIsReady =
      pod?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true
    const sinceMs = Date.parse(creationTimestamp)
    this.#options.budgets.wait(namespace, { key: keyText(evacuation), budget, podIsReady, sinceMs })
  }

  /** The API server says only that there are several. */
  async #budgetsNamed(
    { known, pod, signal }: Step,
    by: EvictionRefusal,
  ): Promise<{ budgets?: readonly NamedBudget[] }> {
    if (by.kind !== 'manyBudgets') return {}
    const { namespace = '' } = known.evacuation.metadata
    return { budgets: await this.#options.budgets.covering(namespace, pod?.metadata.labels ?? {}, signal) }
  }

  async #recordRefusal(step: Step, blocker: Blocker): Promise<Next> {
    const { known } = step
    const { clock, events } = this.#options
    await this.#setStatus(step, change.refused(known.evacuation, blocker, clock.nowMs()))
    events.record(tell.evictionRefused(known.evacuation, blocker))
    if (known.lastEviction?.kind !== 'refused') return settled
    known.lastEviction = { ...known.lastEviction, recorded: true }
    return { kind: 'again', atMs: known.lastEviction.retryAtMs }
  }

  async #wait(step: Step, { untilMs, blocker, statusStays }: Wait): Promise<Next> {
    const { known } = step
    if (statusStays !== true) {
      const news = change.blockedIfNews(known.evacuation, blocker, this.#options.clock.nowMs())
      if (news !== undefined) await this.#setStatus(step, news)
      // An evacuator that reports again has called the eviction off.
      if (blocker === undefined) this.#callOffEviction(known)
    }
    return untilMs === undefined ? settled : { kind: 'again', atMs: untilMs }
  }

  #callOffEviction(known: Known): void {
    known.lastEviction = undefined
    const { namespace = '' } = known.evacuation.metadata
    this.#options.budgets.forget(namespace, keyText(known.evacuation))
  }

  async #setStatus({ known, signal }: Step, status: change.StatusChange): Promise<void> {
    const { resourceVersion } = known.evacuation.metadata
    const body = { metadata: { resourceVersion }, status }
    const options = { subresource: 'status', signal }
    await this.#options.kube.patch(evacuations, keyOf(known.evacuation), { type: 'merge', body }, options)
  }

  async #setFinalizers({ known, signal }: Step, finalizers: readonly string[]): Promise<void> {
    const { resourceVersion } = known.evacuation.metadata
    const body = { metadata: { resourceVersion, finalizers } }
    await this.#options.kube.patch(evacuations, keyOf(known.evacuation), { type: 'merge', body }, { signal })
  }

  /** The UID keeps it from a pod that came later under the same name. */
  async #annotatePod({ known, signal }: Step, values: Readonly<Record<string, string | null>>): Promise<void> {
    const { uid, name, namespace } = podRefOfEvacuation(known.evacuation)
    const body = { metadata: { uid, annotations: values } }
    await this.#options.kube.patch(pods, { namespace, name }, { type: 'merge', body }, { signal }).catch((error) => {
      // So the API server answers to another UID. The next look finds out that the pod is gone.
      if (!isKubeError(error, 'invalid')) throw error
    })
  }

  #forget(key: string, { evacuation }: Known): void {
    this.#known.delete(key)
    this.#options.trackedPods.forget(podRefOfEvacuation(evacuation))
    this.#options.budgets.forget(evacuation.metadata.namespace ?? '', key)
  }

  #again(inMs: number): Next {
    return { kind: 'again', atMs: this.#options.clock.nowMs() + inMs }
  }
}

const interception = instigatorFinalizer(instigators.evictionInterception)

/** How the queue names an Evacuation. */
export function keyText({ metadata }: DeepReadonly<Evacuation>): string {
  return `${metadata.namespace ?? ''}/${metadata.name ?? ''}`
}
