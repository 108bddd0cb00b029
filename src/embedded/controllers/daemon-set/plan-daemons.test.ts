import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodeNamed, templateOf } from '../../../../test/build/controller-ground.ts'
import type { Pod } from '../objects.ts'
import { buildDaemonStatus, planDaemons, planRollingUpdate } from './plan-daemons.ts'

interface PodOptions {
  readonly hash?: string
  readonly ready?: boolean
  readonly metadata?: object
  readonly phase?: string
  readonly gated?: boolean
}

function podOn(node: string, options: PodOptions = {}): Pod {
  const { hash = 'new', ready = true, metadata = {}, phase = 'Running', gated = false } = options
  const matchFields = [{ key: 'metadata.name' as const, operator: 'In' as const, values: [node] }]
  const terms = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } }
  return {
    metadata: storedMeta({
      name: `logs-${node}`,
      labels: { 'controller-revision-hash': hash },
      ...metadata,
    }),
    spec: gated ? { affinity: { nodeAffinity: terms } } : { nodeName: node },
    status: {
      phase,
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  }
}

const leaving = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const nodes = ['a', 'b', 'c'].map((name) => nodeNamed(name))
const viewOf = (pods: readonly Pod[], updateStrategy: object = {}) => ({
  daemonSet: {
    metadata: storedMeta({ generation: 4 }),
    spec: { template: templateOf({}), updateStrategy },
  },
  nodes,
  pods,
  hash: 'new',
})
const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name)

describe('a plan', () => {
  test.each([
    { name: 'fills what is empty', pods: [podOn('a')], createOn: ['b', 'c'], remove: [] },
    {
      name: 'counts a pod that a gate holds',
      pods: [podOn('a', { gated: true }), podOn('b'), podOn('c')],
      createOn: [],
      remove: [],
    },
    {
      name: 'waits for one that is on its way out',
      pods: [podOn('a', { metadata: leaving }), podOn('b'), podOn('c')],
      createOn: [],
      remove: [],
    },
    {
      name: 'removes one that failed',
      pods: [podOn('a', { phase: 'Failed' }), podOn('b'), podOn('c')],
      createOn: [],
      remove: ['logs-a'],
    },
    {
      name: 'removes the younger of two',
      pods: [
        podOn('a', { metadata: { name: 'young', creationTimestamp: '2026-01-02T00:00:00Z' } }),
        podOn('a', { metadata: { name: 'old', creationTimestamp: '2026-01-01T00:00:00Z' } }),
        podOn('b'),
        podOn('c'),
      ],
      createOn: [],
      remove: ['young'],
    },
    {
      name: 'removes one that waits for a node that is gone',
      pods: [podOn('a'), podOn('b'), podOn('c'), podOn('gone', { gated: true })],
      createOn: [],
      remove: ['logs-gone'],
    },
  ])('$name', ({ pods, createOn, remove }) => {
    const plan = planDaemons(viewOf(pods), 0)
    expect([plan.createOn, namesOf(plan.remove)]).toEqual([createOn, remove])
  })
})

describe('an update', () => {
  const old = { hash: 'old' }
  test.each([
    { name: 'takes one at a time', pods: [podOn('a', old), podOn('b', old), podOn('c', old)], expected: ['logs-a'] },
    {
      name: 'waits for the one before',
      pods: [podOn('a', { ready: false }), podOn('b', old), podOn('c', old)],
      expected: [],
    },
    {
      name: 'waits for one that is on its way out',
      pods: [podOn('a', { metadata: leaving }), podOn('b', old), podOn('c', old)],
      expected: [],
    },
    {
      name: 'replaces what does not work at once',
      pods: [podOn('a', { ...old, ready: false }), podOn('b', { ...old, ready: false }), podOn('c', old)],
      expected: ['logs-a', 'logs-b'],
    },
    {
      name: 'takes more if it may',
      pods: [podOn('a', old), podOn('b', old), podOn('c', old)],
      strategy: { rollingUpdate: { maxUnavailable: '50%' } },
      expected: ['logs-a', 'logs-b'],
    },
    {
      name: 'does nothing on its own if told so',
      pods: [podOn('a', old)],
      strategy: { type: 'OnDelete' },
      expected: [],
    },
    { name: 'is over', pods: [podOn('a'), podOn('b'), podOn('c')], expected: [] },
  ])('$name', ({ pods, strategy = {}, expected }) => {
    expect(namesOf(planRollingUpdate(viewOf(pods, strategy), 0).remove)).toEqual(expected)
  })
})

test('the status counts nodes', () => {
  const pods = [podOn('a'), podOn('b', { hash: 'old' }), podOn('c', { ready: false })]
  expect(buildDaemonStatus(viewOf(pods), 0)).toEqual({
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    desiredNumberScheduled: 3,
    numberReady: 2,
    observedGeneration: 4,
    updatedNumberScheduled: 2,
    numberAvailable: 2,
    numberUnavailable: 1,
  })
})
