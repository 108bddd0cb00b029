import { assert, AssertionError } from './assert.ts'
import type { BackoffOptions } from './backoff.ts'
import { backoffMs } from './backoff.ts'
import type { Clock } from './clock.ts'
import { FairQueue } from './fair-queue.ts'
import type { Log } from './log.ts'
import type { Random, RandomStream } from './random.ts'

/** What a reconcile wants next. A throw means "unexpected": it is logged and tried again after a back-off. */
export type Next = { readonly kind: 'settled' } | { readonly kind: 'again'; readonly atMs: number }

export type Reconcile = (key: string, signal: AbortSignal) => Promise<Next>

/** What a queue counts. */
export interface QueueMetrics {
  /** How many keys are ready and wait for a worker. */
  depth(queue: string, keys: number): void
  /** A key became ready. */
  added(queue: string): void
  /** How long a key was ready before its run began. */
  waited(queue: string, elapsedMs: number): void
  ran(queue: string, elapsedMs: number): void
  retried(queue: string): void
}

export const noQueueMetrics: QueueMetrics = {
  depth: () => {},
  added: () => {},
  waited: () => {},
  ran: () => {},
  retried: () => {},
}

export interface WorkQueueOptions {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly concurrency: number
  /** Keys in groups get their runs in turns, and one group that is slow leaves room for the others: see FairQueue. */
  readonly groupOf?: (key: string) => string
  readonly reconcile: Reconcile
  readonly backoff?: BackoffOptions
  readonly metrics?: QueueMetrics
}

const defaultBackoff: BackoffOptions = { initialMs: 200, maxMs: 60_000, jitter: 0.1 }
/** "Again, now" gives the others a turn first, and a reconcile that only ever says so cannot spin. */
const againDelayMinMs = 1

/** A key is in the map while it is ready, running, or due later; settled, it is forgotten. */
type Entry = {
  readonly key: string
  state: 'idle' | 'ready' | 'running'
  /** Added while it ran: it runs once more. */
  addedMeanwhile: boolean
  failures: number
  /** In monotonic time. */
  failedAtMs: number
  readyAtMs: number
  dueAtMs: number
  timer: Disposable | undefined
}

/** Runs reconcile for keys: one run per key at a time, never a lost add, later ones when they are due. */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #backoff: BackoffOptions
  readonly #jitter: RandomStream
  readonly #metrics: QueueMetrics
  readonly #entries = new Map<string, Entry>()
  readonly #ready: FairQueue<Entry>
  readonly #runs = new Set<Promise<void>>()
  readonly #abort = new AbortController()
  #state: 'new' | 'started' | 'stopped' = 'new'
  #pumping = false
  #unfollow: () => void = () => {}

  constructor(options: WorkQueueOptions) {
    this.#options = options
    this.#ready = new FairQueue({ max: options.concurrency, keepsRoom: options.groupOf !== undefined })
    this.#backoff = options.backoff ?? defaultBackoff
    this.#jitter = options.random.stream(`work-queue/${options.name}`)
    this.#metrics = options.metrics ?? noQueueMetrics
  }

  /** Keys that are ready, running, or due later. */
  get size(): number {
    return this.#entries.size
  }

  /** Something happened to the key: run it now, or once more after the run that is on. */
  add(key: string): void {
    if (this.#state === 'stopped') return
    const entry = this.#entry(key)
    if (entry.state === 'running') entry.addedMeanwhile = true
    else if (entry.state === 'idle') this.#wake(entry)
  }

  /** Run the key after the delay, unless something runs it earlier. */
  addAfter(key: string, delayMs: number): void {
    assert(Number.isFinite(delayMs), 'a delay is finite')
    if (delayMs <= 0) return this.add(key)
    if (this.#state === 'stopped') return
    const entry = this.#entry(key)
    this.#schedule(entry, Math.max(delayMs, this.#heldMs(entry)))
  }

  /** Begins to run what was added, until stop() or until the signal aborts. */
  start(signal: AbortSignal): void {
    assert(this.#state === 'new', 'a queue starts once')
    this.#state = 'started'
    const onAbort = () => this.#end(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    this.#unfollow = () => signal.removeEventListener('abort', onAbort)
    this.#pump()
  }

  /** Starts nothing more, aborts what runs, and waits for it to end. */
  async stop(): Promise<void> {
    this.#end(new DOMException(`queue ${this.#options.name} stops`, 'AbortError'))
    await Promise.all(this.#runs)
  }

  #end(reason: unknown): void {
    if (this.#state === 'stopped') return
    this.#state = 'stopped'
    this.#unfollow()
    for (const entry of this.#entries.values()) entry.timer?.[Symbol.dispose]()
    this.#entries.clear()
    this.#ready.clear()
    this.#metrics.depth(this.#options.name, 0)
    this.#abort.abort(reason)
  }

  #entry(key: string): Entry {
    const known = this.#entries.get(key)
    if (known !== undefined) return known
    const entry: Entry = {
      key,
      state: 'idle',
      addedMeanwhile: false,
      failures: 0,
      failedAtMs: Number.NEGATIVE_INFINITY,
      readyAtMs: 0,
      dueAtMs: Number.POSITIVE_INFINITY,
      timer: undefined,
    }
    this.#entries.set(key, entry)
    return entry
  }

  #wake(entry: Entry): void {
    const heldMs = this.#heldMs(entry)
    if (heldMs > 0) this.#schedule(entry, heldMs)
    else this.#enqueue(entry)
  }

  /**
   * A fresh event may be what a failing key waited for, so it cuts the back-off short; but only down to the first step,
   * because a run that fails after a write of its own is the cause of the next event.
   */
  #heldMs(entry: Entry): number {
    if (entry.failures === 0) return 0
    return Math.max(0, entry.failedAtMs + this.#backoff.initialMs - this.#options.clock.monotonicMs())
  }

  #enqueue(entry: Entry): void {
    this.#unschedule(entry)
    entry.state = 'ready'
    entry.readyAtMs = this.#options.clock.monotonicMs()
    this.#ready.push(this.#options.groupOf?.(entry.key) ?? '', entry)
    this.#metrics.added(this.#options.name)
    this.#metrics.depth(this.#options.name, this.#ready.waiting)
    this.#pumpSoon()
  }

  /** The earliest wins. A key that is ready runs before any delay is over. */
  #schedule(entry: Entry, delayMs: number): void {
    const dueAtMs = this.#options.clock.monotonicMs() + delayMs
    if (entry.state === 'ready' || entry.dueAtMs <= dueAtMs) return
    this.#unschedule(entry)
    entry.dueAtMs = dueAtMs
    entry.timer = this.#options.clock.timer(delayMs, () => this.#due(entry))
  }

  #unschedule(entry: Entry): void {
    entry.timer?.[Symbol.dispose]()
    entry.timer = undefined
    entry.dueAtMs = Number.POSITIVE_INFINITY
  }

  #due(entry: Entry): void {
    this.#unschedule(entry)
    if (entry.state === 'running') entry.addedMeanwhile = true
    else this.#enqueue(entry)
  }

  /** Not in the caller's turn: one that adds a key twice in one go, as a burst of watch events does, wants one run. */
  #pumpSoon(): void {
    if (this.#pumping) return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#state === 'started') {
      const next = this.#ready.take()
      if (next === undefined) return
      const run = this.#run(next.item).finally(() => {
        this.#runs.delete(run)
        this.#ready.done(next.group)
        this.#pump()
      })
      this.#runs.add(run)
    }
  }

  async #run(entry: Entry): Promise<void> {
    const { name, clock, reconcile } = this.#options
    const startedAtMs = clock.monotonicMs()
    entry.state = 'running'
    this.#metrics.depth(name, this.#ready.waiting)
    this.#metrics.waited(name, startedAtMs - entry.readyAtMs)
    try {
      const next = await reconcile(entry.key, this.#abort.signal)
      assert(next.kind === 'settled' || Number.isFinite(next.atMs), 'a reconcile comes back at a finite time')
      this.#succeeded(entry, next)
    } catch (error) {
      this.#failed(entry, error)
    }
    this.#metrics.ran(name, clock.monotonicMs() - startedAtMs)
  }

  #succeeded(entry: Entry, next: Next): void {
    if (this.#state === 'stopped') return
    entry.state = 'idle'
    entry.failures = 0
    if (next.kind === 'again') {
      this.#schedule(entry, Math.max(againDelayMinMs, next.atMs - this.#options.clock.nowMs()))
    }
    this.#afterRun(entry)
  }

  #failed(entry: Entry, error: unknown): void {
    // What a run says while it is being stopped is no news.
    if (this.#state === 'stopped') return
    const { name, clock, log } = this.#options
    entry.state = 'idle'
    entry.failures++
    entry.failedAtMs = clock.monotonicMs()
    const retryInMs = backoffMs(entry.failures, this.#backoff, this.#jitter)
    this.#metrics.retried(name)
    const fields = { queue: name, key: entry.key, failures: entry.failures, retryInMs: Math.round(retryInMs) }
    log.warn({ ...fields, ...describe(error) }, 'reconcile failed')
    // A delay asked for during the run may be over in a moment; it must not undercut the first step either.
    const askedInMs = Math.max(entry.dueAtMs - clock.monotonicMs(), this.#backoff.initialMs)
    this.#unschedule(entry)
    this.#schedule(entry, Math.min(retryInMs, askedInMs))
    this.#afterRun(entry)
  }

  #afterRun(entry: Entry): void {
    if (entry.addedMeanwhile) {
      entry.addedMeanwhile = false
      this.#wake(entry)
    } else if (entry.timer === undefined) {
      this.#entries.delete(entry.key)
    }
  }
}

/** A mistake of ours is found by its stack; an answer of the server by its words. */
function describe(error: unknown): { error: string; stack?: string } {
  if (!(error instanceof Error)) return { error: String(error) }
  const isMistake = [TypeError, RangeError, ReferenceError, AssertionError].some((kind) => error instanceof kind)
  return { error: error.message, ...(isMistake && error.stack !== undefined ? { stack: error.stack } : {}) }
}
