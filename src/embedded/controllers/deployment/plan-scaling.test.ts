import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { ReplicaSet } from '../objects.ts'
import { isScalingEvent, planScaling } from './plan-scaling.ts'

const setOf = (name: string, replicas: number, noted: { desired: number; max: number }): ReplicaSet => ({
  metadata: storedMeta({
    name,
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: {
      'deployment.kubernetes.io/desired-replicas': String(noted.desired),
      'deployment.kubernetes.io/max-replicas': String(noted.max),
    },
  }),
  spec: { replicas },
  status: { availableReplicas: replicas },
})

const viewOf = (replicas: number, newSet: ReplicaSet | undefined, oldSets: ReplicaSet[]) => ({
  deployment: {
    metadata: storedMeta(),
    spec: { replicas, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } },
  },
  newSet,
  oldSets,
})
const noted = { desired: 10, max: 13 }
const texts = (view: ReturnType<typeof viewOf>) =>
  planScaling(view).map(({ set, replicas }) => `${set.metadata.name} to ${replicas}`)

describe('scaling', () => {
  test('is needed when the wanted number is not the noted one', () => {
    expect(isScalingEvent(viewOf(10, setOf('new', 10, noted), []))).toBe(false)
    expect(isScalingEvent(viewOf(12, setOf('new', 10, noted), []))).toBe(true)
  })

  test('of a Deployment at rest is that of its set', () => {
    expect(texts(viewOf(15, setOf('new', 10, noted), [setOf('old', 0, noted)]))).toEqual(['new to 15'])
  })

  test('in the middle of a rollout is shared in proportion', () => {
    // The example of the documentation: 10 wanted, 8 old and 5 new ones; 15 wanted give 11 and 7.
    expect(texts(viewOf(15, setOf('new', 5, noted), [setOf('old', 8, noted)]))).toEqual(['old to 11', 'new to 7'])
  })

  test('down is shared too', () => {
    expect(texts(viewOf(5, setOf('new', 5, noted), [setOf('old', 8, noted)]))).toEqual(['old to 5', 'new to 3'])
  })

  test('to nothing leaves nothing', () => {
    expect(texts(viewOf(0, setOf('new', 5, noted), [setOf('old', 8, noted)]))).toEqual(['old to 0', 'new to 0'])
  })

  test('takes old ones down once the new ones do it all', () => {
    expect(texts(viewOf(10, setOf('new', 10, noted), [setOf('old', 3, noted)]))).toEqual(['old to 0'])
  })
})
