import type { EvacuationKey } from '../evacuation-client/evacuation-key.ts'
import { idOf, keyOfId } from '../api/kubernetes/object-id.ts'
import { withReadiness } from '../api/blocker/unready-pod.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { annotations } from '../api/names.ts'
import { podRefOfEvacuation, type PodRef } from '../api/evacuation/pod-reference.ts'
import type { Kube } from '../kube/client/client.ts'
import { backoffMs, type BackoffOptions } from '../runtime/backoff.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random, RandomStream } from '../runtime/random.ts'
import type { Next } from '../runtime/work-queue.ts'
import { checkStepResult } from './check-step-result.ts'
import { concerns, decideTurn, isActive } from './decide-turn.ts'
import { podEvacuated } from '../evacuation-client/evacuated-event.ts'
import type { EvacuationWriter, Hold } from '../evacuation-client/evacuation-writer.ts'
import type { Evacuator, StepResult, Turn } from './evacuator.ts'
import { failed, started, turnLost, type Events } from './events.ts'
import {
  allowingCancellation,
  beginningReport,
  failureReport,
  heartbeatIntervalMs,
  reportOf,
  type Report,
} from './report.ts'
import { writeReport, type ReportOutcome } from './status-reporter.ts'
import { TurnEnded, turnEndOf, type TurnEnd } from './turn-ended.ts'
import { TurnMemories, type TurnMemory } from './turn-memory.ts'
import { withHeartbeat } from './with-heartbeat.ts'
import { KeyedLock } from './workload/keyed-lock.ts'

export interface TurnRunnerOptions {
  readonly evacuator: Evacuator
  readonly kube: Kube
  readonly writer: EvacuationWriter
  /** Undefined: there is no pod under that name. */
  readonly readPod: (pod: PodRef, signal: AbortSignal) => Promise<Pod | undefined>
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: Events | undefined
  /** Says nothing of what is over a moment later; of what goes wrong everything. */
  readonly sparing: boolean
  /** Can be cancelled at any time: a Forbid of another evacuator ends with its first report. */
  readonly alwaysCancellable: boolean
}

const limits = { againDefaultMs: 10_000, againMinMs: 100 }
/** The API server lets an eviction that met another write of its budget wait for half a second: the next need not. */
const evictionAloneMs = 150
const refusalBackoff: BackoffOptions = { initialMs: 1_000, maxMs: 60_000, jitter: 0.1 }
const settled: Next = { kind: 'settled' }

/** One call of the evacuator, and what belongs to it. */
interface Call extends Hold {
  readonly kind: 'step' | 'cancel'
  readonly evacuation: Evacuation
  readonly pod: Pod
  readonly memory: TurnMemory
  /** Ends the call and not the process. */
  readonly abort: AbortController
  /** Of the process. */
  readonly signal: AbortSignal
}

/** Carries out what decideTurn says, for one evacuator and one Evacuation at a time. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions
  readonly #class: string
  readonly #jitter: RandomStream
  readonly #memories: TurnMemories
  readonly #running = new Map<string, Call>()
  readonly #evictions = new KeyedLock()

  constructor(options: TurnRunnerOptions) {
    this.#options = options
    this.#class = options.evacuator.evacuatorClass
    this.#memories = new TurnMemories(options.clock, options.sparing)
    this.#jitter = options.random.stream(`evacuators/${this.#class}/eviction`)
  }

  /** Something was seen of the Evacuation: a call whose turn is over ends. */
  notice(key: EvacuationKey, evacuation: Evacuation | undefined): void {
    const call = this.#running.get(idOf(key))
    if (call === undefined) return
    const why = turnEndOf(evacuation, call)
    if (why !== undefined && (call.kind === 'step' || why === 'gone')) call.abort.abort(new TurnEnded(why))
  }

  async reconcile(id: string, signal: AbortSignal): Promise<Next> {
    const { evacuator, writer, readPod } = this.#options
    const key = keyOfId(id)
    const evacuation = writer.latest(key)
    if (evacuation === undefined || !concerns(evacuation, this.#class)) return this.#rest(key)
    const untilShownMs = this.#memories.evictionShowsInMs(key, evacuation)
    if (untilShownMs > 0) return this.#again(untilShownMs)
    const found = await readPod(podRefOfEvacuation(evacuation), signal)
    const pod = found?.metadata.uid === evacuation.spec.podRef.uid ? found : undefined
    const { actsOnDeletedPods = false } = evacuator
    const putsBack = evacuator.cancel !== undefined
    const decision = decideTurn({ evacuatorClass: this.#class, putsBack, actsOnDeletedPods, evacuation, pod })
    const hold: Hold = { key, evacuatorClass: this.#class, uid: evacuation.metadata.uid }
    switch (decision.kind) {
      case 'idle':
        return this.#rest(key)
      case 'hold':
        await writer.takeHold(hold, (current) => turnEndOf(current, hold) === undefined, signal)
        return this.#again(0)
      case 'release':
        await writer.releaseHold(hold, signal)
        return this.#rest(key)
      case 'step':
      case 'cancel': {
        const memory = this.#memories.of(hold, decision.kind)
        return await this.#call({ ...decision, ...hold, evacuation, memory, signal, abort: new AbortController() })
      }
      default:
        return decision satisfies never
    }
  }

  async #call(call: Call): Promise<Next> {
    const { abort, signal } = call
    try {
      const result = checkStepResult(await this.#ask(call))
      return abort.signal.aborted ? this.#ended(call) : await this.#apply(call, result)
    } catch (error) {
      signal.throwIfAborted()
      if (abort.signal.aborted) return this.#ended(call)
      await this.#failed(call, error)
      throw error
    }
  }

  async #ask(call: Call): Promise<StepResult> {
    const { evacuator, kube, clock, events } = this.#options
    const { key, evacuation, pod, memory } = call
    const signal = AbortSignal.any([call.signal, call.abort.signal])
    const turn: Turn = { evacuation, pod, nowMs: clock.nowMs(), signal, kube }
    const { progressDeadlineSeconds } = evacuation.spec
    const last = memory.history.report ?? beginningReport(this.#class)
    this.#running.set(idOf(key), call)
    try {
      if (call.kind === 'cancel') return await (evacuator.cancel?.(turn) ?? { kind: 'completed', message: '' })
      if (!memory.started && !this.#options.sparing) events?.record(started(evacuation, this.#class))
      memory.started = true
      const heartbeat = {
        clock,
        everyMs: heartbeatIntervalMs(progressDeadlineSeconds),
        forMs: progressDeadlineSeconds * 1_000,
        // For an evacuator that was stuck this says nothing: its step has to say first that it can continue.
        beat: () => this.#heartbeat({ ...call, signal }, last),
      }
      return await withHeartbeat(heartbeat, async () => await evacuator.step(turn))
    } finally {
      // What is written from here on ends turns too, and that is no loss.
      this.#running.delete(idOf(key))
    }
  }

  async #apply(call: Call, result: StepResult): Promise<Next> {
    const { key, kind, memory, signal } = call
    memory.failing = false
    if (result.kind === 'evict') {
      const { among } = result
      if (among === undefined) return await this.#evict(call)
      const alone = { clock: this.#options.clock, ms: evictionAloneMs }
      return await this.#evictions.runFor(alone, among, signal, () => this.#evict(call))
    }
    memory.refusals = 0
    if (kind === 'cancel' && result.kind === 'completed') {
      await this.#options.writer.releaseHold(call, signal)
      return this.#rest(key)
    }
    const next = await this.#report(call, reportOf(result), ifLater(result))
    if (result.kind === 'completed' && result.nothingToPutBack === true) {
      await this.#options.writer.releaseHold(call, signal)
    }
    return next
  }

  /** The one thing that the loop itself does to a pod, so it looks once more whose turn it is. */
  async #evict(call: Call): Promise<Next> {
    const { kube, writer, events } = this.#options
    const { key, kind, evacuation, memory, signal } = call
    if (kind === 'cancel') throw new TypeError('the result of cancel has kind evict: a cancelled pod stays')
    // It goes already.
    if (call.pod.metadata.deletionTimestamp !== undefined) return this.#again(limits.againDefaultMs)
    if (turnEndOf(await writer.recent(key, signal), call) !== undefined) return this.#ended(call)
    const pod = podRefOfEvacuation(evacuation)
    const outcome = await kube.evict(pod, { annotations: { [annotations.evictingEvacuator]: this.#class }, signal })
    switch (outcome.kind) {
      case 'accepted': {
        memory.evictedAtMs = this.#options.clock.monotonicMs()
        events?.record(podEvacuated(evacuation, call.pod))
        if (this.#options.sparing) return this.#again(limits.againDefaultMs)
        const message = 'The pod was evicted and terminates'
        const report: Report = { message, progress: true, completed: false, lastWords: true }
        return await this.#report(call, report, limits.againDefaultMs)
      }
      case 'gone':
        return this.#again(limits.againDefaultMs)
      case 'refused': {
        const report = reportOf({ kind: 'waiting', because: { ...withReadiness(outcome.by, call.pod), pod } })
        const delayMs = backoffMs(++memory.refusals, refusalBackoff, this.#jitter)
        return await this.#report(call, report, Math.max(delayMs, (outcome.retryAfterSeconds ?? 0) * 1_000))
      }
      case 'unknown':
        throw outcome.error
      default:
        return outcome satisfies never
    }
  }

  /** Says what there is to say, and comes back after the delay, or earlier for what may not be written yet. */
  async #report(call: Call, report: Report, againInMs: number): Promise<Next> {
    const outcome = await this.#write(call, report)
    if (outcome.kind === 'notOurs' && call.kind === 'step') return this.#ended(call)
    const dueInMs = outcome.kind === 'later' ? outcome.delayMs : Number.POSITIVE_INFINITY
    return this.#again(Math.min(againInMs, dueInMs, heartbeatIntervalMs(call.evacuation.spec.progressDeadlineSeconds)))
  }

  async #write(call: Call, said: Report): Promise<ReportOutcome> {
    const { key, memory, signal, evacuation } = call
    const { progressDeadlineSeconds } = evacuation.spec
    const mayReport = (current: Evacuation) => this.#mayReport(current, call)
    const { history } = memory
    const { alwaysCancellable } = this.#options
    const report = alwaysCancellable ? allowingCancellation(said, history, evacuation.status) : said
    const request = { key, report, history, progressDeadlineSeconds, mayReport, signal }
    const outcome = await writeReport(this.#options, request)
    if (outcome.kind === 'written') memory.history = outcome.history
    return outcome
  }

  /** The status is the active evacuator's; one that puts things back may not be it any more. */
  #mayReport(current: Evacuation, call: Call): boolean {
    if (call.kind === 'step') return turnEndOf(current, call) === undefined
    return current.metadata.uid === call.uid && isActive(current, this.#class)
  }

  async #heartbeat(call: Call, report: Report): Promise<void> {
    const { log, writer } = this.#options
    try {
      await this.#write(call, report)
      this.notice(call.key, writer.latest(call.key))
    } catch (error) {
      if (call.signal.aborted) return
      log.warn({ evacuation: idOf(call.key), error: String(error) }, 'cannot report progress')
    }
  }

  async #failed(call: Call, error: unknown): Promise<void> {
    const { events, log } = this.#options
    const report = failureReport(call.kind, error)
    if (!call.memory.failing) events?.record(failed(call.evacuation, this.#class, report.message))
    call.memory.failing = true
    try {
      await this.#write(call, report)
    } catch (reportError) {
      log.warn({ evacuation: idOf(call.key), error: String(reportError) }, 'cannot say in the status what failed')
    }
  }

  #ended(call: Call): Next {
    const { events, log, writer } = this.#options
    const why = endOf(call) ?? turnEndOf(writer.latest(call.key), call)
    log.info({ evacuation: idOf(call.key), evacuatorClass: this.#class, why }, 'the turn ended')
    const event = why === undefined ? undefined : turnLost(call.evacuation, this.#class, why)
    if (event !== undefined) events?.record(event)
    this.#memories.forget(call.key)
    return this.#again(0)
  }

  #rest(key: EvacuationKey): Next {
    this.#memories.forget(key)
    return settled
  }

  #again(inMs: number): Next {
    return { kind: 'again', atMs: this.#options.clock.nowMs() + inMs }
  }
}

function ifLater(result: Exclude<StepResult, { kind: 'evict' }>): number {
  if (result.kind === 'completed') return 0
  return Math.max(limits.againMinMs, result.againInMs ?? limits.againDefaultMs)
}

function endOf({ abort }: Call): TurnEnd | undefined {
  return abort.signal.reason instanceof TurnEnded ? abort.signal.reason.why : undefined
}
