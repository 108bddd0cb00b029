import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { fenceposts, viewRollout } from './rollout-view.ts'

const deployment = (replicas: number, rollingUpdate: object, type = 'RollingUpdate') => ({
  metadata: storedMeta({ name: 'web' }),
  spec: { replicas, strategy: { type, rollingUpdate }, template: { metadata: { labels: { app: 'web' } } } },
})

describe('fenceposts', () => {
  test.each([
    { replicas: 10, rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' }, expected: [3, 2] },
    { replicas: 10, rollingUpdate: {}, expected: [3, 2] },
    { replicas: 1, rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' }, expected: [1, 0] },
    { replicas: 3, rollingUpdate: { maxSurge: 0, maxUnavailable: '10%' }, expected: [0, 1] },
    { replicas: 3, rollingUpdate: { maxSurge: 5, maxUnavailable: 9 }, expected: [5, 3] },
    { replicas: 0, rollingUpdate: { maxSurge: 1, maxUnavailable: 1 }, expected: [1, 0] },
  ])('of $replicas with $rollingUpdate are $expected', ({ replicas, rollingUpdate, expected }) => {
    const { maxSurge, maxUnavailable } = fenceposts(deployment(replicas, rollingUpdate))
    expect([maxSurge, maxUnavailable]).toEqual(expected)
  })

  test('of Recreate are none', () => {
    expect(fenceposts(deployment(3, {}, 'Recreate'))).toEqual({ maxSurge: 0, maxUnavailable: 0 })
  })
})

test('the new set is the one with the template, the hash aside; the oldest if there are two', () => {
  const set = (name: string, labels: object, creationTimestamp = '2026-01-01T00:00:00Z') => ({
    metadata: storedMeta({ name, creationTimestamp }),
    spec: { template: { metadata: { labels: { 'pod-template-hash': name, ...labels } } } },
  })
  const sets = [
    set('younger', { app: 'web' }, '2026-01-01T00:00:09Z'),
    set('other', { app: 'shop' }),
    set('older', { app: 'web' }),
  ]
  const { newSet, oldSets } = viewRollout(deployment(1, {}), sets)
  expect(newSet?.metadata.name).toBe('older')
  expect(oldSets.map(({ metadata }) => metadata.name)).toEqual(['other', 'younger'])
})
