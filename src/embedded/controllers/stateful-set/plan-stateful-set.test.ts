import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import type { Pod } from '../objects.ts'
import { buildStatefulStatus, planStatefulSet } from './plan-stateful-set.ts'

interface PodOptions {
  readonly revision?: string
  readonly ready?: boolean
  readonly leaving?: boolean
  readonly phase?: string
}

function podAt(ordinal: number, options: PodOptions = {}): Pod {
  const { revision = 'new', ready = true, leaving = false, phase = 'Running' } = options
  return {
    metadata: storedMeta({
      name: `db-${ordinal}`,
      labels: { 'controller-revision-hash': revision },
      ...(leaving ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    }),
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }
}

const viewOf = (pods: readonly Pod[], spec: object = {}, currentRevision = 'new') => ({
  set: { metadata: storedMeta({ name: 'db', generation: 1 }), spec: { replicas: 3, ...spec } },
  pods,
  currentRevision,
  updateRevision: 'new',
})
const texts = (view: ReturnType<typeof viewOf>) =>
  planStatefulSet(view, 0).map((step) =>
    step.kind === 'create' ? `create ${step.ordinal} ${step.revision}` : `delete ${step.pod.metadata.name}`,
  )
const old = { revision: 'old' }
const rolling = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } })

describe('a plan', () => {
  test.each([
    { name: 'begins with the first', pods: [], expected: ['create 0 update'] },
    { name: 'waits for it', pods: [podAt(0, { ready: false })], expected: [] },
    { name: 'goes on', pods: [podAt(0)], expected: ['create 1 update'] },
    { name: 'fills a gap', pods: [podAt(0), podAt(2)], expected: ['create 1 update'] },
    {
      name: 'makes all at once in parallel',
      pods: [],
      spec: { podManagementPolicy: 'Parallel' },
      expected: ['create 0 update', 'create 1 update', 'create 2 update'],
    },
    { name: 'replaces one that failed', pods: [podAt(0, { phase: 'Failed' })], expected: ['delete db-0'] },
    { name: 'waits for one on its way out', pods: [podAt(0, { leaving: true })], expected: [] },
    {
      name: 'shrinks from the end',
      pods: [podAt(0), podAt(1), podAt(2)],
      spec: { replicas: 1 },
      expected: ['delete db-2'],
    },
    {
      name: 'shrinks at once in parallel',
      pods: [podAt(0), podAt(1), podAt(2)],
      spec: { replicas: 1, podManagementPolicy: 'Parallel' },
      expected: ['delete db-2', 'delete db-1'],
    },
    {
      name: 'begins at another number',
      pods: [],
      spec: { replicas: 1, ordinals: { start: 5 } },
      expected: ['create 5 update'],
    },
  ])('$name', ({ pods, spec = {}, expected }) => {
    expect(texts(viewOf(pods, spec))).toEqual(expected)
  })
})

describe('an update', () => {
  test.each([
    { name: 'begins with the last', pods: [podAt(0, old), podAt(1, old), podAt(2, old)], expected: ['delete db-2'] },
    { name: 'goes on when that is back', pods: [podAt(0, old), podAt(1, old), podAt(2)], expected: ['delete db-1'] },
    { name: 'waits for it', pods: [podAt(0, old), podAt(1, old), podAt(2, { ready: false })], expected: [] },
    {
      name: 'makes it anew with the new template',
      pods: [podAt(0, old), podAt(1, old)],
      expected: ['create 2 update'],
    },
    { name: 'makes a lost one anew as it was', pods: [podAt(0, old), podAt(2, old)], expected: ['create 1 current'] },
    {
      name: 'stops at the partition',
      pods: [podAt(0, old), podAt(1, old), podAt(2)],
      spec: rolling({ partition: 2 }),
      expected: [],
    },
    {
      name: 'takes two if it may',
      pods: [podAt(0, old), podAt(1, old), podAt(2, old)],
      spec: rolling({ maxUnavailable: 2 }),
      expected: ['delete db-2', 'delete db-1'],
    },
    {
      name: 'rounds a percentage down, but takes one',
      pods: [podAt(0, old), podAt(1, old), podAt(2, old)],
      spec: rolling({ maxUnavailable: '60%' }),
      expected: ['delete db-2'],
    },
    {
      name: 'waits to be deleted, if told so',
      pods: [podAt(0, old), podAt(1, old), podAt(2, old)],
      spec: { updateStrategy: { type: 'OnDelete' } },
      expected: [],
    },
  ])('$name', ({ pods, spec = {}, expected }) => {
    const steps = texts(viewOf(pods, spec, 'old'))
    // A gap before the last counts those that are still as they were: two of them, ordinals 0 and 1.
    expect(steps).toEqual(expected)
  })
})

test('the update is over when all are new and ready', () => {
  const during = buildStatefulStatus(viewOf([podAt(0, old), podAt(1), podAt(2)], {}, 'old'), 0)
  expect(during).toMatchObject({
    currentRevision: 'old',
    updateRevision: 'new',
    updatedReplicas: 2,
    currentReplicas: 1,
  })
  const after = buildStatefulStatus(viewOf([podAt(0), podAt(1), podAt(2)], {}, 'old'), 0)
  expect(after).toMatchObject({ currentRevision: 'new', currentReplicas: 3, readyReplicas: 3 })
})
