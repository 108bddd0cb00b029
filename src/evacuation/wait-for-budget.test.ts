import { expect, test } from 'vitest'
import type { EvictionRefusal } from '../kube/client/evict-outcome.ts'
import { storedMeta } from '../../test/build/stored.ts'
import { waitForBudget } from './wait-for-budget.ts'

const { signal } = new AbortController()
const evacuation = {
  metadata: storedMeta({ namespace: 'shop', name: 'e', creationTimestamp: '2026-01-01T00:00:00Z' }),
  spec: { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 600 },
}
const pod = {
  metadata: storedMeta({ namespace: 'shop', labels: { app: 'web' } }),
  status: { conditions: [{ type: 'Ready', status: 'True' as const }] },
}
const waiter = { key: 'shop/e', wasReady: true, sinceMs: Date.UTC(2026, 0, 1) }
const covering = [{ name: 'a', healthy: 1, needed: 1 }]

test.each<{ name: string; by: EvictionRefusal; waits: readonly unknown[]; names: object }>([
  {
    name: 'a budget that refuses is waited for',
    by: { kind: 'budget', budget: 'web', needed: 1, healthy: 1 },
    waits: [['shop', { ...waiter, budget: 'web' }, 7]],
    names: {},
  },
  {
    name: 'several budgets are looked up, because the API server names none',
    by: { kind: 'manyBudgets' },
    waits: [['shop', { ...waiter, budget: undefined }, 7]],
    names: { budgets: covering },
  },
  { name: 'no budget can help where another refuses', by: { kind: 'throttled' }, waits: [], names: {} },
])('$name', async ({ by, waits, names }) => {
  const waited: unknown[] = []
  const budgets = { wait: (...args: unknown[]) => void waited.push(args), covering: async () => covering }
  expect(await waitForBudget({ evacuation, pod, by, moment: 7, signal }, budgets)).toEqual(names)
  expect(waited).toEqual(waits)
})
