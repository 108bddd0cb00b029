import type { Event } from '../../api/kubernetes/core.ts'
import type { New } from '../../api/kubernetes/meta.ts'
import type { BackoffOptions } from '../../runtime/backoff.ts'
import { backoffMs } from '../../runtime/backoff.ts'
import type { Clock } from '../../runtime/clock.ts'
import { sleep } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import type { EventPatch, EventReporter, EventState } from './build-event.ts'
import { buildEvent, buildEventPatch, eventNamespace } from './build-event.ts'
import type { ClusterEvent } from './cluster-event.ts'
import { EventAggregation } from './event-aggregation.ts'
import { eventOutcomeOf } from './event-outcome.ts'
import { unlessAborted } from '../single-flight.ts'

/** Where Events go. Both throw KubeErrors as the client does; the patch is a merge patch. */
export interface EventSink {
  create(namespace: string, event: New<Event>): Promise<unknown>
  patch(namespace: string, name: string, patch: EventPatch): Promise<unknown>
}

export interface EventRecorderOptions extends EventReporter {
  readonly sink: EventSink
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** What happened again is written again so long after the last time, however often it did. */
const repeatAfterMs = 30_000
const limits = { pendingMax: 1_000, attemptsMax: 5 }
const backoff: BackoffOptions = { initialMs: 1_000, maxMs: 30_000, jitter: 0.1 }

/** What the server has of an Event. */
type Written = { created: boolean; attempts: number; atMs: number }

/** Writes Events in the background. Recording never fails and never waits; what cannot be written is counted. */
export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #aggregation: EventAggregation
  readonly #jitter: RandomStream
  /** In the order they are to be written. Recorded again while it waits, an Event is still written once. */
  readonly #pending = new Set<EventState>()
  /** Those that happened again a moment after they were written. */
  readonly #resting = new Map<EventState, Disposable>()
  readonly #written = new WeakMap<EventState, Written>()
  readonly #closed = new AbortController()
  #writing: Promise<void> | undefined
  #failures = 0
  #dropped = 0

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#aggregation = new EventAggregation(options.clock, options.random.stream('event-recorder/names'))
    this.#jitter = options.random.stream('event-recorder/backoff')
  }

  /** How often something recorded was not written: too much about one object, too many waiting, refused, given up. */
  get dropped(): number {
    return this.#dropped
  }

  record(event: ClusterEvent): void {
    try {
      const { state, allowed } = this.#aggregation.observe(event)
      if (allowed) this.#enqueue(state)
      else this.#dropped++
    } catch (error) {
      this.#dropped++
      this.#options.log.error({ reason: event.reason, error: String(error) }, 'cannot record an event')
    }
  }

  /** Resolves when everything recorded so far is written or given up, or when the signal aborts: it never rejects. */
  async flush(signal?: AbortSignal): Promise<void> {
    for (const state of this.#resting.keys()) this.#wake(state)
    try {
      while (this.#writing !== undefined) await unlessAborted(this.#writing, signal)
    } catch {
      // The caller has no more time; the rest continues in the background.
    }
  }

  /** As flush, and gives up what is left then: a process that ends must not continue for the sake of its events. */
  async close(signal?: AbortSignal): Promise<void> {
    await this.flush(signal)
    this.#closed.abort(new Error('no more events'))
    this.#dropped += this.#pending.size
    this.#pending.clear()
    for (const timer of this.#resting.values()) timer[Symbol.dispose]()
  }

  #enqueue(state: EventState): void {
    if (this.#closed.signal.aborted) return this.#drop()
    if (this.#resting.has(state)) return
    const { created, atMs } = this.#writtenOf(state)
    const restMs = atMs + repeatAfterMs - this.#options.clock.monotonicMs()
    if (created && restMs > 0) {
      this.#resting.set(
        state,
        this.#options.clock.timer(restMs, () => this.#wake(state)),
      )
      return
    }
    this.#add(state)
  }

  #wake(state: EventState): void {
    this.#resting.get(state)?.[Symbol.dispose]()
    this.#resting.delete(state)
    this.#add(state)
  }

  #add(state: EventState): void {
    this.#pending.add(state)
    if (this.#pending.size > limits.pendingMax) {
      const [eldest] = this.#pending
      if (eldest !== undefined) this.#pending.delete(eldest)
      this.#dropped++
    }
    this.#writing ??= this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    // Not in the caller's turn.
    await Promise.resolve()
    for (let [state] = this.#pending; state !== undefined; [state] = this.#pending) {
      this.#pending.delete(state)
      await this.#write(state)
    }
    // In the same turn as the last look, or what is recorded in between would wait for the next one.
    this.#writing = undefined
  }

  async #write(state: EventState): Promise<void> {
    const { sink } = this.#options
    const written = this.#writtenOf(state)
    const namespace = eventNamespace(state.subject)
    try {
      if (written.created) await sink.patch(namespace, state.name, buildEventPatch(state))
      else await sink.create(namespace, buildEvent(state, this.#options))
      written.created = true
      written.attempts = 0
      written.atMs = this.#options.clock.monotonicMs()
      this.#failures = 0
    } catch (error) {
      await this.#recover(state, error)
    }
  }

  async #recover(state: EventState, error: unknown): Promise<void> {
    const written = this.#writtenOf(state)
    const outcome = eventOutcomeOf(error)
    switch (outcome) {
      case 'exists':
        // An earlier create got through after all, perhaps with an older count.
        written.created = true
        return this.#again(state, error)
      case 'gone': {
        const expired = written.created
        written.created = false
        return expired ? this.#again(state, error) : this.#drop()
      }
      case 'namespaceTerminating':
        return this.#drop()
      case 'refused':
        return this.#giveUp(state, error)
      case 'later':
        await sleep(this.#options.clock, backoffMs(++this.#failures, backoff, this.#jitter), this.#closed.signal).catch(
          () => {},
        )
        return this.#closed.signal.aborted ? this.#drop() : this.#again(state, error)
      default:
        return outcome satisfies never
    }
  }

  #again(state: EventState, error: unknown): void {
    const written = this.#writtenOf(state)
    written.attempts++
    if (written.attempts >= limits.attemptsMax) return this.#giveUp(state, error)
    this.#pending.add(state)
  }

  #giveUp(state: EventState, error: unknown): void {
    this.#writtenOf(state).attempts = 0
    this.#drop()
    const { kind, metadata } = state.subject
    const message = error instanceof Error ? error.message : String(error)
    this.#options.log.warn({ kind, name: metadata.name, reason: state.reason, error: message }, 'event not written')
  }

  #drop(): void {
    this.#dropped++
  }

  #writtenOf(state: EventState): Written {
    const known = this.#written.get(state)
    if (known !== undefined) return known
    const written = { created: false, attempts: 0, atMs: 0 }
    this.#written.set(state, written)
    return written
  }
}
