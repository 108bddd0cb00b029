import { describe, expect, test } from 'vitest'
import { newNodeMaintenanceStatus, type NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { Covers, isActive, isUnderWay, noCover, planOf } from './active.ts'

const hold = 'nodemaintenance.k8s.io/maintenance-completion'
const maintenance = (
  name: string,
  choices: { metadata?: Partial<NodeMaintenance['metadata']>; spec?: Partial<NodeMaintenance['spec']> } = {},
) =>
  ({
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: [hold],
      ...choices.metadata,
    },
    spec: {
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: name, operator: 'Exists' }] }] },
      stage: 'Drain',
      ...choices.spec,
    },
  }) satisfies NodeMaintenance
const node = (...labels: string[]) =>
  stored<Node>({ metadata: { name: 'one', labels: Object.fromEntries(labels.map((label) => [label, ''])) } })

test.each([
  { name: 'one that drains', given: maintenance('a'), expected: true },
  { name: 'one that cordons', given: maintenance('a', { spec: { stage: 'Cordon' } }), expected: true },
  { name: 'one that is planned', given: maintenance('a', { spec: { stage: 'Idle' } }), expected: false },
  { name: 'one that completes', given: maintenance('a', { spec: { stage: 'Complete' } }), expected: false },
  { name: 'one without its finalizer', given: maintenance('a', { metadata: { finalizers: [] } }), expected: false },
  {
    name: 'one that is being deleted',
    given: maintenance('a', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    expected: false,
  },
  {
    name: 'one that has begun and lost its finalizer',
    given: {
      ...maintenance('a', { metadata: { finalizers: [] } }),
      status: {
        ...newNodeMaintenanceStatus,
        stageStatuses: [{ name: 'Drain' as const, startTimestamp: '2026-01-01T00:00:00Z' }],
      },
    },
    expected: true,
  },
  {
    name: 'one that was planned and has no finalizer yet',
    given: {
      ...maintenance('a', { metadata: { finalizers: [] } }),
      status: {
        ...newNodeMaintenanceStatus,
        stageStatuses: [{ name: 'Idle' as const, startTimestamp: '2026-01-01T00:00:00Z' }],
      },
    },
    expected: false,
  },
])('$name holds nodes: $expected', ({ given, expected }) => {
  expect(isActive(given)).toBe(expected)
})

test.each([
  { name: 'one that is planned', finalizers: [], completed: false, expected: true },
  { name: 'one that is completed and still held', finalizers: [hold], completed: true, expected: true },
  { name: 'one that is completed', finalizers: [], completed: true, expected: false },
])('$name is under way: $expected', ({ finalizers, completed, expected }) => {
  const conditions = [
    { type: 'Completed', status: 'True' as const, reason: 'Completed', message: '', lastTransitionTime: '' },
  ]
  const status = { ...newNodeMaintenanceStatus, ...(completed ? { conditions } : {}) }
  expect(isUnderWay({ ...maintenance('a', { metadata: { finalizers } }), status })).toBe(expected)
})

describe('a plan that admission has not completed', () => {
  const max = 2_147_483_647
  test('is the default one if there is none', () => {
    expect(planOf(maintenance('a'))).toHaveLength(12)
    expect(planOf(maintenance('a', { spec: { drainPlan: [] } }))).toHaveLength(12)
  })

  test('ends with every pod gone, and is left alone otherwise', () => {
    const own = [
      { podPriority: 5, podType: 'Default' as const },
      { podPriority: max, podType: 'DaemonSet' as const },
    ]
    expect(planOf(maintenance('a', { spec: { drainPlan: own } }))).toEqual([
      { podPriority: 5, podType: 'Default' },
      { podPriority: max, podType: 'Default' },
      { podPriority: max, podType: 'DaemonSet' },
      { podPriority: max, podType: 'Static' },
    ])
  })
})

describe('the cover of a node', () => {
  const coversOf = (...all: readonly NodeMaintenance[]) => {
    const covers = new Covers()
    for (const each of all) covers.put(each)
    return covers
  }
  const named = (name: string, ...nodes: readonly string[]) =>
    maintenance(name, {
      spec: {
        nodeSelector: {
          nodeSelectorTerms: nodes.map((each) => ({
            matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: [each] }],
          })),
        },
      },
    })
  const namesOf = (covers: Covers, of: Node) => covers.of(of).active.map(({ object }) => object.metadata.name)

  test('is all that select it, oldest first, and those of them that drain', () => {
    const old = { metadata: { creationTimestamp: '2025-01-01T00:00:00Z' }, spec: { stage: 'Cordon' as const } }
    const covers = coversOf(
      maintenance('a'),
      maintenance('b', old),
      maintenance('c'),
      maintenance('d', { spec: { stage: 'Idle' } }),
    )
    const cover = covers.of(node('a', 'b', 'd'))
    expect(cover.active.map(({ object }) => object.metadata.name)).toEqual(['b', 'a'])
    expect(cover.draining.map(({ name }) => name)).toEqual(['a'])
    expect(covers.of(node('x'))).toBe(noCover)
  })

  test('is the same for nodes with the same maintenances, and a plan the same as long as it says the same', () => {
    const covers = coversOf(maintenance('a'), maintenance('b'))
    const before = covers.of(node('a', 'b'))
    expect(covers.of(node('a', 'b', 'x'))).toBe(before)
    covers.put(maintenance('a'))
    covers.put(maintenance('b', { spec: { drainPlan: [{ podPriority: 1, podType: 'Default' }] } }))
    const [first, second] = covers.of(node('a', 'b')).draining
    expect(first).toBe(before.draining[0])
    expect(second).not.toBe(before.draining[1])
  })

  test('knows maintenances by the names that they give, beside those by label', () => {
    const covers = coversOf(named('n', 'zero', 'one'), maintenance('a'), named('other', 'two'))
    expect(namesOf(covers, node())).toEqual(['n'])
    expect(namesOf(covers, node('a'))).toEqual(['a', 'n'])
  })

  test('has nothing left of a maintenance that went, ended or selects others now', () => {
    const covers = coversOf(named('n', 'one'), maintenance('a'), maintenance('b'))
    covers.put(named('n', 'two'))
    expect(namesOf(covers, node('a', 'b'))).toEqual(['a', 'b'])
    covers.put(maintenance('a', { spec: { stage: 'Complete' } }))
    expect(namesOf(covers, node('a', 'b'))).toEqual(['b'])
    covers.remove(maintenance('b'))
    covers.remove(named('n', 'one'))
    expect(covers.of(node('a', 'b'))).toBe(noCover)
  })

  test('has the maintenance as it is now', () => {
    const covers = coversOf(maintenance('a'))
    covers.of(node('a'))
    const changed = maintenance('a', { spec: { reason: 'OS upgrade' } })
    covers.put(changed)
    expect(covers.of(node('a')).active[0]?.object).toBe(changed)
  })
})
