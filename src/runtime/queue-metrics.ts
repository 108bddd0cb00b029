import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Clock } from './clock.ts'
import type { QueueMetrics } from './work-queue.ts'

/** As client-go has them, so that its dashboards fit: from 10 ns to 1,000 s, where we begin at a millisecond. */
const buckets = [0.001, 0.01, 0.1, 1, 10, 100, 1_000]

/** Under the names that Kubernetes' own controllers have for their queues. */
export function prometheusQueueMetrics(registry: Registry, clock: Clock): QueueMetrics {
  const of = { labelNames: ['name'] as const, registers: [registry] }
  const depth = new Gauge({ name: 'workqueue_depth', help: 'Keys that are ready and wait for a worker', ...of })
  const adds = new Counter({ name: 'workqueue_adds_total', help: 'Keys that became ready', ...of })
  const retries = new Counter({ name: 'workqueue_retries_total', help: 'Runs that failed and are tried again', ...of })
  const waiting = new Histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a key was ready before its run began',
    buckets,
    ...of,
  })
  const working = new Histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'How long a run took',
    buckets,
    ...of,
  })
  const running = new Map<string, RunsUnderWay>()
  void new Gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'How long the runs under way have taken so far, all together: it grows when one is stuck',
    ...of,
    collect() {
      for (const [name, runs] of running) this.set({ name }, runs.elapsedMs(clock.monotonicMs()) / 1_000)
    },
  })
  const runsOf = (name: string) => {
    const known = running.get(name) ?? new RunsUnderWay()
    running.set(name, known)
    return known
  }
  return {
    depth: (name, keys) => depth.set({ name }, keys),
    added: (name) => adds.inc({ name }),
    waited: (name, elapsedMs) => {
      waiting.observe({ name }, elapsedMs / 1_000)
      runsOf(name).began(clock.monotonicMs())
    },
    ran: (name, elapsedMs) => {
      working.observe({ name }, elapsedMs / 1_000)
      runsOf(name).ended(clock.monotonicMs() - elapsedMs)
    },
    retried: (name) => retries.inc({ name }),
  }
}

/** Their sum needs no list of them: so many times now, less the moments at which they began. */
class RunsUnderWay {
  #count = 0
  #beginningsMs = 0

  began(atMs: number): void {
    this.#count++
    this.#beginningsMs += atMs
  }

  ended(beganAtMs: number): void {
    this.#count--
    this.#beginningsMs = this.#count === 0 ? 0 : this.#beginningsMs - beganAtMs
  }

  elapsedMs(nowMs: number): number {
    return this.#count * nowMs - this.#beginningsMs
  }
}
