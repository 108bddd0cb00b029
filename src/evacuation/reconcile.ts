import { annotatePod } from './annotate-pod.ts'
import type { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import { idOfObject, keyOfId } from '../api/kubernetes/object-id.ts'
import type { Blocker, BlockerOf } from '../api/blocker/blocker.ts'
import { withReadiness } from '../api/blocker/unready-pod.ts'
import { newEvacuationStatus, type EvacuationStatusChange } from '../api/evacuation/evacuation.ts'
import { withoutFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { annotations } from '../api/names.ts'
import { podRefOfEvacuation } from '../api/evacuation/pod-reference.ts'
import { backoffMs } from '../runtime/backoff.ts'
import type { Clock } from '../runtime/clock.ts'
import type { RandomStream } from '../runtime/random.ts'
import type { Next } from '../runtime/work-queue.ts'
import type { Kube } from '../kube/client/client.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { isKubeError } from '../kube/client/errors.ts'
import type { EvictOutcome } from '../kube/client/evict-outcome.ts'
import type { BudgetWatch } from './budget-watch.ts'
import { decideAsking, type Decided, type Lookups } from './claims.ts'
import type { Decision, Wait } from './decision.ts'
import * as tell from './events.ts'
import { podEvacuated } from '../evacuation-client/evacuated-event.ts'
import type { FinishedEvacuations } from './finished-evacuations.ts'
import { viewOf, wouldEvict, type Known, type Moment } from './known-evacuation.ts'
import { EvacuatorTurns } from './evacuator-turns.ts'
import type { EvacuationMetrics } from './metrics.ts'
import * as change from './status-changes.ts'
import type { TrackedPods } from './tracked-pods.ts'
import { evictionBackoff, waitForBudget } from './wait-for-budget.ts'
import type { Claims, EvacuationSettings } from './view.ts'

export interface ReconcileOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly jitter: RandomStream
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: EvacuationMetrics
  readonly settings: EvacuationSettings
  readonly trackedPods: TrackedPods
  readonly budgets: BudgetWatch
  /** Puts an evacuation whose pod is gone into a queue of its own, to be finished by `finish`. */
  readonly finishLater: (key: string) => void
  readonly finished: Pick<FinishedEvacuations, 'end' | 'endNow'>
  readonly lookups: Lookups
  readonly writer: EvacuationWriter
  /** Evacuators of this process that say nothing where all goes well: they need not read that it is their turn. */
  readonly ownEvacuators: ReadonlySet<string>
}

type Step = { readonly known: Known; readonly pod: Pod | undefined; readonly signal: AbortSignal }

type DecisionOf<Kind extends Decision['kind']> = Extract<Decision, { kind: Kind }>
type Refused = Extract<EvictOutcome, { kind: 'refused' }>

const settled: Next = { kind: 'settled' }

/** Carries out what decide says about one Evacuation. Holds nothing that a restart could not do without. */
export class Reconciler {
  readonly #options: ReconcileOptions
  readonly #known = new Map<string, Known>()
  readonly #leadingSinceMs: number
  readonly #turns: EvacuatorTurns

  constructor(options: ReconcileOptions) {
    this.#options = options
    this.#leadingSinceMs = options.clock.nowMs()
    this.#turns = new EvacuatorTurns(options.metrics)
  }

  /** The pod whose eviction was refused, as it is now, if it would be evicted at this moment. */
  evictable(key: string): Pod | undefined {
    const { writer, trackedPods } = this.#options
    const known = this.#known.get(key)
    const evacuation = writer.latest(keyOfId(key))
    if (known === undefined || evacuation?.metadata.uid !== known.evacuation.metadata.uid) return undefined
    const seen = trackedPods.peek(podRefOfEvacuation(evacuation))
    const pod = seen === 'unknown' ? known.pod : seen
    return wouldEvict({ ...known, evacuation, pod }, this.#moment()) ? pod : undefined
  }

  /** A budget has room: the eviction need not wait for the end of its back-off. */
  retryNow(key: string): void {
    const known = this.#known.get(key)
    if (known?.lastEviction?.kind !== 'refused') return
    known.lastEviction = { ...known.lastEviction, retryAtMs: this.#options.clock.nowMs() }
  }

  reconcile(key: string, signal: AbortSignal): Promise<Next> {
    return this.#reconcile(key, signal, async () => {
      this.#options.finishLater(key)
      return settled
    })
  }

  /** As reconcile, for the queue of those that are to be finished. */
  finish(key: string, signal: AbortSignal): Promise<Next> {
    return this.#reconcile(key, signal, (step) => this.#finish(step))
  }

  async #reconcile(key: string, signal: AbortSignal, finish: (step: Step) => Promise<Next>): Promise<Next> {
    const evacuation = this.#options.writer.latest(keyOfId(key))
    const before = this.#known.get(key)
    if (before !== undefined && before.evacuation.metadata.uid !== evacuation?.metadata.uid) this.#forget(key, before)
    if (evacuation === undefined) return settled
    const known: Known = { ...this.#known.get(key), evacuation }
    this.#known.set(key, known)
    known.pod = await this.#options.trackedPods.look(podRefOfEvacuation(evacuation), signal)
    this.#turns.see(evacuation, known.pod === undefined, this.#options.clock.nowMs())
    const step = { known, pod: known.pod, signal }
    const decision = await this.#decide(step)
    // Where a watch shows the pod, each look takes it from there.
    if (this.#options.trackedPods.peek(podRefOfEvacuation(evacuation)) !== 'unknown') known.pod = undefined
    try {
      if (decision.kind !== 'finish') return await this.#apply(decision, step)
      this.#options.writer.forgetIntended(evacuation)
      return await finish(step)
    } catch (error) {
      // Another writer was faster, or it is gone: the event about that brings the key back.
      if (isKubeError(error, 'conflict', 'notFound')) return settled
      throw error
    }
  }

  #decide({ known, signal }: Step): Promise<Decided> {
    const { clock, lookups } = this.#options
    const remember = (found: Claims) => void (known.claims = found)
    return decideAsking(viewOf(known, this.#moment()), { clock, lookups, remember, signal })
  }

  #moment(): Moment {
    const { settings, clock } = this.#options
    return { settings, nowMs: clock.nowMs(), leadingSinceMs: this.#leadingSinceMs }
  }

  async #apply(decision: Exclude<Decided, { kind: 'finish' }>, step: Step): Promise<Next> {
    const { events, clock } = this.#options
    const { evacuation } = step.known
    switch (decision.kind) {
      case 'tidyPod':
        await this.#annotate(step, Object.fromEntries(decision.annotations.map((name) => [name, null])))
        return settled
      case 'lapse':
        await this.#setFinalizers(step, withoutFinalizer(evacuation.metadata.finalizers, decision.finalizer))
        return settled
      case 'cancel':
        await this.#cancel(step)
        return settled
      case 'endIncomplete':
        events.record(tell.evacuatorsMissing(evacuation, decision.missing))
        await this.#options.finished.endNow(evacuation, step.signal)
        return settled
      case 'select': {
        const status = change.selected(evacuation, decision.evacuatorClass, clock.nowMs())
        if (!this.#options.ownEvacuators.has(decision.evacuatorClass)) await this.#setStatus(step, status)
        else this.#options.writer.intend(evacuation, status, clock.nowMs())
        return this.#again(0)
      }
      case 'switch':
        await this.#setStatus(step, change.switched(evacuation, decision, clock.nowMs()))
        events.record(tell.evacuatorSwitched(evacuation, decision))
        return settled
      case 'askController':
        return this.#askController(step, decision.blocker)
      case 'recordRefusal':
        return this.#recordRefusal(step, decision)
      case 'evict':
        this.#turns.fellSilent(evacuation, clock.nowMs())
        return this.#evict(step)
      case 'wait':
        return this.#wait(step, decision)
      default:
        return decision satisfies never
    }
  }

  async #finish(step: Step): Promise<Next> {
    await this.#options.finished.end(step.known.evacuation, step.signal)
    return settled
  }

  /** The version guards against an instigator that joins at this moment. */
  async #cancel({ known: { evacuation }, signal }: Step): Promise<void> {
    await this.#options.writer.delete(evacuation, { ifUnchanged: true, signal })
    this.#options.events.record(tell.evacuationCancelled(evacuation))
  }

  async #askController(step: Step, blocker: BlockerOf<'controllerTakeover'>): Promise<Next> {
    const { clock, events } = this.#options
    const { evacuation } = step.known
    // First since when, then the question: killed in between, the question is asked and the time is not forgotten.
    const asked = change.controllerAsked(evacuation, blocker, clock.nowMs())
    if (asked !== undefined) {
      await this.#setStatus(step, asked)
      events.record(tell.controllerWasAsked(evacuation, blocker))
    }
    await this.#annotate(step, { [annotations.podEvictWanted]: 'true' })
    return settled
  }

  async #evict(step: Step): Promise<Next> {
    const { kube, metrics, events, budgets } = this.#options
    const { known, pod, signal } = step
    const { evacuation } = known
    const ref = podRefOfEvacuation(evacuation)
    const moment = budgets.moment()
    const outcome = await kube.evict(ref, { signal })
    metrics.evicted(ref.namespace, outcome.kind)
    switch (outcome.kind) {
      case 'accepted':
        if (pod !== undefined) events.record(podEvacuated(evacuation, pod))
        return this.#evictionShows(known)
      case 'unknown':
        return this.#evictionShows(known)
      case 'gone':
        // Its event is on its way, or came before the first look: then the next look asks the API server.
        this.#options.trackedPods.forget(ref)
        return this.#again(0)
      case 'refused':
        return this.#refused(step, outcome, moment)
      default:
        return outcome satisfies never
    }
  }

  #evictionShows(known: Known): Next {
    known.lastEviction = { kind: 'asked', atMs: this.#options.clock.nowMs() }
    return this.#again(0)
  }

  async #refused(step: Step, { by, retryAfterSeconds = 0 }: Refused, moment: number): Promise<Next> {
    const { clock, jitter, events, budgets } = this.#options
    const { known } = step
    const { evacuation } = known
    const failures = (evacuation.status ?? newEvacuationStatus).failedEvictionCounter + 1
    const delayMs = Math.max(backoffMs(failures, evictionBackoff, jitter), retryAfterSeconds * 1_000)
    const blocker: Blocker = { ...withReadiness(by, step.pod), pod: podRefOfEvacuation(evacuation) }
    const refusal = { kind: 'refused', blocker, retryAtMs: clock.nowMs() + delayMs, failures } as const
    // Before it waits for the budget, which may have room at once.
    known.lastEviction = refusal
    const named = await waitForBudget({ ...step, evacuation, by, moment }, budgets)
    known.lastEviction = { ...refusal, ...known.lastEviction, blocker: { ...blocker, ...named } }
    events.record(tell.evictionRefused(evacuation, known.lastEviction.blocker))
    // On top of what the evacuators have said meanwhile.
    return this.#again(0)
  }

  async #recordRefusal(step: Step, refusal: DecisionOf<'recordRefusal'>): Promise<Next> {
    await this.#setStatus(step, change.refused(step.known.evacuation, refusal, this.#options.clock.nowMs()))
    return this.#again(0)
  }

  async #wait(step: Step, { untilMs, blocker, statusStays }: Wait): Promise<Next> {
    const { known } = step
    this.#options.budgets.podChanged(known.evacuation.metadata.namespace, idOfObject(known.evacuation))
    if (statusStays !== true) {
      const news = change.blockedIfNews(known.evacuation, blocker, this.#options.clock.nowMs())
      if (news !== undefined) await this.#setStatus(step, news)
      // An evacuator that reports again has called the eviction off.
      if (blocker === undefined) this.#callOffEviction(known)
    }
    return untilMs === undefined ? settled : { kind: 'again', atMs: untilMs }
  }

  async #setStatus({ known, signal }: Step, status: EvacuationStatusChange): Promise<void> {
    await this.#options.writer.change(known.evacuation, { kind: 'status', status }, signal)
  }

  async #setFinalizers({ known, signal }: Step, finalizers: readonly string[]): Promise<void> {
    await this.#options.writer.change(known.evacuation, { kind: 'finalizers', finalizers }, signal)
  }

  #annotate({ known, signal }: Step, values: Readonly<Record<string, string | null>>): Promise<void> {
    return annotatePod(this.#options.kube, known.evacuation, values, signal)
  }

  #callOffEviction(known: Known): void {
    known.lastEviction = undefined
    this.#options.budgets.forget(known.evacuation.metadata.namespace, idOfObject(known.evacuation))
  }

  #forget(key: string, { evacuation }: Known): void {
    this.#known.delete(key)
    this.#turns.forget(key)
    this.#options.trackedPods.forget(podRefOfEvacuation(evacuation))
    this.#options.budgets.forget(evacuation.metadata.namespace, key)
  }

  #again(inMs: number): Next {
    return { kind: 'again', atMs: this.#options.clock.nowMs() + inMs }
  }
}
