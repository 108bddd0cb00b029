import { expect, test } from 'vitest'
import type { Pod } from '../api/kubernetes/core.ts'
import { podDisruptionBudgets } from '../api/kubernetes/resources.ts'
import { noKubeMetrics } from '../kube/metrics.ts'
import { silentLog } from '../runtime/log.ts'
import { buildServer } from '../../test/build/embedded-server.ts'
import { buildKube } from '../../test/build/kube.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { BudgetWatch } from './budget-watch.ts'

function ground() {
  const { clock, random, transport } = buildServer()
  const kube = buildKube(transport, clock)
  const woken: string[] = []
  const options = { kube, clock, random, log: silentLog, metrics: noKubeMetrics }
  const podOf = new Map<string, Pod>([
    ['shop/a', pod(true)],
    ['shop/b', pod(true)],
  ])
  const watch = new BudgetWatch(options, { podOf: (key) => podOf.get(key), wake: (key) => void woken.push(key) })
  const setRoom = async (disruptionsAllowed: number, policy?: 'AlwaysAllow') => {
    const key = { namespace: 'shop', name: 'web' }
    if (policy !== undefined) {
      const body = { spec: { unhealthyPodEvictionPolicy: policy } }
      await kube.patch(podDisruptionBudgets, key, { type: 'merge', body })
    }
    const { metadata } = await kube.get(podDisruptionBudgets, key)
    const status = { disruptionsAllowed, observedGeneration: metadata.generation, currentHealthy: 1, desiredHealthy: 3 }
    await kube.patch(podDisruptionBudgets, key, { type: 'merge', body: { status } }, { subresource: 'status' })
  }
  return { clock, kube, woken, watch, podOf, setRoom }
}

const pod = (isReady: boolean): Pod => ({
  metadata: storedMeta({ namespace: 'shop', labels }),
  status: { conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }] },
})

const labels = { app: 'web' }
const budget = (name: string) => ({
  metadata: { name, namespace: 'shop' },
  spec: { minAvailable: 1, selector: { matchLabels: labels } },
})
const waiter = { key: 'shop/a', budget: 'web', wasReady: true, sinceMs: 0 }

test('watches a namespace while somebody waits there, and no longer', async () => {
  const { clock, watch } = ground()
  watch.wait('shop', waiter, watch.moment())
  watch.wait('shop', { ...waiter, key: 'shop/b' }, watch.moment())
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
  watch.wait('shop', waiter, watch.moment())
  await clock.advance(10)
  expect(woken).toEqual([])
  await kube.delete(podDisruptionBudgets, { namespace: 'shop', name: 'web' })
  await clock.advance(10)
  expect(woken).toEqual(['shop/a'])
  watch[Symbol.dispose]()
})

test('who would not be evicted takes no room from others', async () => {
  const { clock, kube, woken, watch, podOf, setRoom } = ground()
  await kube.create(podDisruptionBudgets, budget('web'))
  watch.wait('shop', waiter, watch.moment())
  watch.wait('shop', { ...waiter, key: 'shop/b', sinceMs: 1 }, watch.moment())
  await clock.advance(10)
  podOf.delete('shop/a')
  await setRoom(1)
  await clock.advance(10)
  expect(woken).toEqual(['shop/b'])
  watch[Symbol.dispose]()
})

test('room that the first list shows wakes who was refused before it', async () => {
  const { clock, kube, woken, watch, setRoom } = ground()
  await kube.create(podDisruptionBudgets, budget('web'))
  await setRoom(1)
  watch.wait('shop', waiter, watch.moment())
  await clock.advance(10)
  expect(woken).toEqual(['shop/a'])
  watch[Symbol.dispose]()
})

test('room that came between the request and its refusal is not missed', async () => {
  const { clock, kube, woken, watch, setRoom } = ground()
  await kube.create(podDisruptionBudgets, budget('web'))
  watch.wait('shop', { ...waiter, key: 'shop/b', budget: 'other' }, watch.moment())
  await clock.advance(10)
  woken.length = 0
  const asked = watch.moment()
  await setRoom(1)
  await clock.advance(10)
  watch.wait('shop', waiter, asked)
  expect(woken).toEqual(['shop/a'])
  // Refused again with no change since: room alone says nothing, the server has just said no.
  watch.wait('shop', waiter, watch.moment())
  expect(woken).toEqual(['shop/a'])
  watch[Symbol.dispose]()
})

test('a pod that turns unready while it waits is tried where unready pods may go', async () => {
  const { clock, kube, woken, watch, podOf, setRoom } = ground()
  await kube.create(podDisruptionBudgets, budget('web'))
  await setRoom(0, 'AlwaysAllow')
  watch.wait('shop', waiter, watch.moment())
  await clock.advance(10)
  watch.podChanged('shop', 'shop/a')
  expect(woken).toEqual([])
  podOf.set('shop/a', pod(false))
  watch.podChanged('shop', 'shop/a')
  expect(woken).toEqual(['shop/a'])
  watch[Symbol.dispose]()
})

test('names the budgets that cover a pod', async () => {
  const { clock, kube, watch } = ground()
  for (const name of ['web', 'all']) await kube.create(podDisruptionBudgets, budget(name))
  const other = { ...budget('other'), spec: { minAvailable: 1, selector: { matchLabels: { app: 'api' } } } }
  await kube.create(podDisruptionBudgets, other)
  watch.wait('shop', waiter, watch.moment())
  const covering = watch.covering('shop', labels, new AbortController().signal)
  await clock.advance(10)
  expect(await covering).toEqual([
    { name: 'all', healthy: 0, needed: 0 },
    { name: 'web', healthy: 0, needed: 0 },
  ])
  expect(await watch.covering('elsewhere', labels, new AbortController().signal)).toEqual([])
  watch[Symbol.dispose]()
})
