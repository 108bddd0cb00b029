import { assert } from './assert.ts'
import type { BackoffOptions } from './backoff.ts'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'
import type { Random } from './random.ts'
import { untilAborted } from './until-aborted.ts'
import { WorkQueue, type QueueMetrics, type Reconcile } from './work-queue.ts'

/** Says which keys there is work for, from the moment it is opened until it is closed. */
export interface Wake {
  open(add: (key: string) => void): Disposable
}

export interface ControlLoopOptions {
  readonly name: string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** How many keys are worked on at once. */
  readonly concurrency: number
  /** Keys in groups share the places fairly: see WorkQueueOptions. */
  readonly groupOf?: (key: string) => string
  readonly wakes: readonly Wake[]
  readonly reconcile: Reconcile
  readonly backoff?: BackoffOptions
  readonly queueMetrics?: QueueMetrics
}

/** Works on keys from the moment it is made: one run per key at a time. */
export class ControlLoop implements AsyncDisposable {
  readonly #queue: WorkQueue
  readonly #open = new DisposableStack()

  constructor(options: ControlLoopOptions, signal: AbortSignal = new AbortController().signal) {
    const { name, clock, random, log, concurrency, groupOf, wakes, reconcile, backoff, queueMetrics } = options
    this.#queue = new WorkQueue({
      name,
      clock,
      random,
      log,
      concurrency,
      reconcile,
      ...(groupOf === undefined ? {} : { groupOf }),
      ...(backoff === undefined ? {} : { backoff }),
      ...(queueMetrics === undefined ? {} : { metrics: queueMetrics }),
    })
    for (const wake of wakes) this.#open.use(wake.open((key) => this.#queue.add(key)))
    this.#queue.start(signal)
  }

  add(key: string): void {
    this.#queue.add(key)
  }

  addAfter(key: string, delayMs: number): void {
    this.#queue.addAfter(key, delayMs)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#open.dispose()
    await this.#queue.stop()
  }
}

/** Runs a loop until the signal aborts, and resolves when nothing of it runs any more. */
export async function runControlLoop(options: ControlLoopOptions, signal: AbortSignal): Promise<void> {
  await using _loop = new ControlLoop(options, signal)
  await untilAborted(signal)
}

/** Wakes the keys that code names itself. What it names while no loop is open is lost. */
export class Doorbell implements Wake {
  #add: ((key: string) => void) | undefined

  open(add: (key: string) => void): Disposable {
    assert(this.#add === undefined, 'a doorbell belongs to one loop at a time')
    this.#add = add
    return { [Symbol.dispose]: () => void (this.#add = undefined) }
  }

  ring(key: string): void {
    this.#add?.(key)
  }
}
