import { describe, expect, test } from 'vitest'
import { timeOf } from '../pod-status.ts'
import { gracePeriodMs, hasTaints, silentAtMs, silentConditions, taintsFor } from './decide-node.ts'

const then = '2026-01-01T00:00:00Z'
const nodeOf = (ready: string | undefined, spec: object = {}) => ({
  metadata: { name: 'one', creationTimestamp: then },
  spec,
  status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready, lastTransitionTime: then }] },
})
const unreachable = 'node.kubernetes.io/unreachable'
const texts = (node: ReturnType<typeof nodeOf>) =>
  taintsFor(node, 'now').map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)

test('a node is silent a grace period after its last lease, or its creation', () => {
  expect(silentAtMs(nodeOf('True'), undefined)).toBe(timeOf(then) + gracePeriodMs)
  const lease = { metadata: {}, spec: { renewTime: '2026-01-01T00:00:30.000000Z' } }
  expect(silentAtMs(nodeOf('True'), lease)).toBe(timeOf(then) + 30_000 + gracePeriodMs)
})

test('of a silent node nothing is known, and what was never known is told so', () => {
  const conditions = silentConditions(nodeOf('True'), 'now')
  expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
    'Ready Unknown NodeStatusUnknown',
    'MemoryPressure Unknown NodeStatusNeverUpdated',
    'DiskPressure Unknown NodeStatusNeverUpdated',
    'PIDPressure Unknown NodeStatusNeverUpdated',
  ])
  const again = silentConditions({ metadata: {}, status: { conditions } }, 'later')
  expect(again).toEqual(conditions)
})

describe('taints', () => {
  test.each([
    { name: 'of a ready node: none', node: nodeOf('True'), expected: [] },
    { name: 'of one that is not', node: nodeOf('False'), expected: ['not-ready:NoSchedule', 'not-ready:NoExecute'] },
    { name: 'of a silent one', node: nodeOf('Unknown'), expected: ['unreachable:NoSchedule', 'unreachable:NoExecute'] },
    {
      name: 'of a cordoned one',
      node: nodeOf('True', { unschedulable: true }),
      expected: ['unschedulable:NoSchedule'],
    },
    {
      name: 'of others stay',
      node: nodeOf('True', {
        taints: [
          { key: 'dedicated', effect: 'NoSchedule' },
          { key: unreachable, effect: 'NoExecute' },
        ],
      }),
      expected: ['dedicated:NoSchedule'],
    },
  ])('$name', ({ node, expected }) => {
    expect(texts(node)).toEqual(expected)
  })

  test('keep their time', () => {
    const node = nodeOf('Unknown', { taints: [{ key: unreachable, effect: 'NoExecute', timeAdded: then }] })
    expect(taintsFor(node, 'now').find(({ effect }) => effect === 'NoExecute')?.timeAdded).toBe(then)
  })

  test('are the same in any order', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'NoSchedule' },
    ]
    expect(hasTaints(nodeOf('True', { taints }), taints.toReversed())).toBe(true)
    expect(hasTaints(nodeOf('True', { taints }), [])).toBe(false)
  })
})
