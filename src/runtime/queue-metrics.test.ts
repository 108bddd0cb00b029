import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { silentLog } from './log.ts'
import { prometheusQueueMetrics } from './queue-metrics.ts'
import { seededRandom } from './random.ts'
import { VirtualClock } from './virtual-clock.ts'
import { WorkQueue } from './work-queue.ts'

test('a queue is measured under the names of Kubernetes', async () => {
  const clock = new VirtualClock()
  const registry = new Registry()
  const metrics = prometheusQueueMetrics(registry, clock)
  let hold = Promise.withResolvers<void>()
  let fails = true
  const queue = new WorkQueue({
    name: 'evacuations',
    clock,
    random: seededRandom(1),
    log: silentLog,
    concurrency: 1,
    metrics,
    reconcile: async () => {
      await hold.promise
      if (fails) throw new Error('not today')
      return { kind: 'settled' }
    },
  })
  const value = async (metric: string) =>
    Number(new RegExp(`^${metric}\\{name="evacuations"\\} (\\S+)$`, 'm').exec(await registry.metrics())?.[1])
  queue.add('a')
  queue.add('b')
  expect(await value('workqueue_depth')).toBe(2)
  queue.start(new AbortController().signal)
  await clock.advance(3_000)
  expect(await value('workqueue_depth')).toBe(1)
  expect(await value('workqueue_unfinished_work_seconds')).toBe(3)
  hold.resolve()
  await clock.advance(1)
  fails = false
  await clock.advance(10_000)
  expect(await value('workqueue_depth')).toBe(0)
  expect(await value('workqueue_unfinished_work_seconds')).toBe(0)
  expect(await value('workqueue_retries_total')).toBe(2)
  expect(await value('workqueue_adds_total')).toBe(4)
  expect(await value('workqueue_work_duration_seconds_count')).toBe(4)
  expect(await value('workqueue_queue_duration_seconds_count')).toBe(4)
  expect(await value('workqueue_queue_duration_seconds_sum')).toBe(3)
  await queue.stop()
})
