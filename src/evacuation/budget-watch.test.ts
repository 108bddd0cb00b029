import { expect, test } from 'vitest'
import { podDisruptionBudgets } from '../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { silentLog } from '../runtime/log.ts'
import { buildServer } from '../../test/build/embedded-server.ts'
import { buildKube } from '../../test/build/kube.ts'
import { BudgetWatch } from './budget-watch.ts'

function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  const woken: string[] = []
  const options = { kube, clock, random, log: silentLog, metrics: noKubeMetrics }
  const watch = new BudgetWatch(options, (key) => woken.push(key))
  return { clock, kube, woken, watch }
}

const labels = { app: 'web' }
const budget = (name: string) => ({
  metadata: { name, namespace: 'shop' },
  spec: { minAvailable: 1, selector: { matchLabels: labels } },
})
const waiter = { key: 'shop/a', budget: 'web', podIsReady: true, sinceMs: 0 }

test('watches a namespace while somebody waits there, and no longer', async () => {
  const { clock, watch } = ground()
  watch.wait('shop', waiter)
  watch.wait('shop', { ...waiter, key: 'shop/b' })
  expect(watch.size).toBe(1)
  watch.forget('shop', 'shop/a')
  expect(watch.size).toBe(1)
  watch.forget('shop', 'shop/b')
  watch.forget('elsewhere', 'elsewhere/a')
  expect(watch.size).toBe(0)
  await clock.advance(0)
})

test('wakes once who waits for a budget that goes', async () => {
  const { clock, kube, woken, watch } = ground()
  await kube.create(podDisruptionBudgets, budget('web'))
  watch.wait('shop', waiter)
  await clock.advance(10)
  expect(woken).toEqual([])
  await kube.delete(podDisruptionBudgets, { namespace: 'shop', name: 'web' })
  await clock.advance(10)
  expect(woken).toEqual(['shop/a'])
  watch[Symbol.dispose]()
})

test('names the budgets that cover a pod', async () => {
  const { clock, kube, watch } = ground()
  for (const name of ['web', 'all']) await kube.create(podDisruptionBudgets, budget(name))
  const other = { ...budget('other'), spec: { minAvailable: 1, selector: { matchLabels: { app: 'api' } } } }
  await kube.create(podDisruptionBudgets, other)
  watch.wait('shop', waiter)
  const covering = watch.covering('shop', labels, new AbortController().signal)
  await clock.advance(10)
  expect(await covering).toEqual([
    { name: 'all', healthy: 0, needed: 0 },
    { name: 'web', healthy: 0, needed: 0 },
  ])
  expect(await watch.covering('elsewhere', labels, new AbortController().signal)).toEqual([])
  watch[Symbol.dispose]()
})
