import { expect, test } from 'vitest'
import { labels } from '../src/api/names.ts'
import { heldLabel } from '../src/api/maintenance/maintenance-hold.ts'
import { measureIdle, nameOf, readsPods, renewalsPerSecond } from './measure-idle.ts'

test.each([
  { name: 'a list', url: '/api/v1/nodes?limit=500', expected: 'GET /api/v1/nodes' },
  { name: 'a later page', url: '/api/v1/nodes?limit=500&continue=x', expected: 'GET /api/v1/nodes' },
  { name: 'a watch', url: '/api/v1/nodes?watch=true&resourceVersion=7', expected: 'WATCH /api/v1/nodes' },
  { name: 'a selection', url: '/api/v1/pods?labelSelector=a%3Db', expected: 'GET /api/v1/pods?labelSelector=a=b' },
])('$name is named without what differs from one to the next', ({ url, expected }) => {
  expect(nameOf({ method: 'GET', url })).toBe(expected)
})

test.each([
  { name: 'GET /api/v1/pods', expected: true },
  { name: 'WATCH /api/v1/namespaces/shop/pods?labelSelector=a', expected: true },
  { name: 'GET /api/v1/namespaces/shop/pods/cart', expected: false },
  { name: 'GET /api/v1/nodes', expected: false },
])('$name: reads pods, $expected', ({ name, expected }) => {
  expect(readsPods(name)).toBe(expected)
})

const watchOf = (name: string, seconds: number) => ({
  method: 'GET',
  url: `/api/v1/nodes?watch=true&fieldSelector=metadata.name%3D${name}&timeoutSeconds=${seconds}`,
})

test.each([
  { name: 'none', requests: [], expected: 0 },
  { name: 'a list', requests: [{ method: 'GET', url: '/api/v1/nodes?limit=500' }], expected: 0 },
  { name: 'two of ten seconds', requests: [watchOf('a', 10), watchOf('b', 10)], expected: 0.2 },
  { name: 'one of 10 and one of 30', requests: [watchOf('a', 10), watchOf('b', 30)], expected: 0.1 },
  { name: 'one that was renewed', requests: [watchOf('a', 10), watchOf('a', 20)], expected: 0.05 },
])('watches to renew in a second: $name', ({ requests, expected }) => {
  expect(renewalsPerSecond(requests)).toBe(expected)
})

// Shorter than the benchmark, and else the same: what Lifeboat holds and asks for while idle shows within seconds.
test('idle in a large cluster, Lifeboat stays small and quiet and reads no pods', { timeout: 120_000 }, async () => {
  const figures = await measureIdle({ nodes: 5_000, pods: 150_000, settleSeconds: 10, measureSeconds: 10 })
  // Those that Lifeboat itself holds or has released: none, when there is nothing to do.
  const marked = [heldLabel.key, labels.released].map((key) => `?labelSelector=${key}`)
  expect(figures.podReads.filter((name) => !marked.some((selection) => name.endsWith(selection)))).toEqual([])
  expect(figures.memoryMegabytes).toBeLessThan(150)
  expect(figures.requestsPerSecond).toBeLessThan(1)
})
