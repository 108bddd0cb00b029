import { describe, expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import {
  executeTroublesOf,
  hasTaints,
  silentConditions,
  troubleOf,
  withExecuteTaint,
  withoutExecuteTaints,
  withScheduleTaints,
} from './decide-node.ts'

const then = '2026-01-01T00:00:00Z'
const nodeOf = (ready: string | undefined, spec: object = {}) => ({
  metadata: storedMeta({ name: 'one', creationTimestamp: then }),
  spec,
  status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready, lastTransitionTime: then }] },
})
const unreachable = 'node.kubernetes.io/unreachable'
const notReady = 'node.kubernetes.io/not-ready'
const taint = (key: string, effect = 'NoExecute') => ({ key, effect, timeAdded: then })
const named = (taints: readonly { key: string; effect: string }[]) =>
  taints.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`)

test('of a silent node nothing is known, and what was never known is told so', () => {
  const conditions = silentConditions(nodeOf('True'), 'now')
  expect(conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`)).toEqual([
    'Ready Unknown NodeStatusUnknown',
    'MemoryPressure Unknown NodeStatusNeverUpdated',
    'DiskPressure Unknown NodeStatusNeverUpdated',
    'PIDPressure Unknown NodeStatusNeverUpdated',
  ])
  const again = silentConditions({ metadata: storedMeta(), status: { conditions } }, 'later')
  expect(again).toEqual(conditions)
})

describe('taints that keep pods away', () => {
  test.each([
    { name: 'of a ready node: none', node: nodeOf('True'), expected: [] },
    { name: 'of one that is not', node: nodeOf('False'), expected: ['not-ready:NoSchedule'] },
    { name: 'of a silent one', node: nodeOf('Unknown'), expected: ['unreachable:NoSchedule'] },
    { name: 'of one that never said anything', node: nodeOf(undefined), expected: [] },
    {
      name: 'of a cordoned one',
      node: nodeOf('True', { unschedulable: true }),
      expected: ['unschedulable:NoSchedule'],
    },
    {
      name: 'of others, and those that remove pods, stay',
      node: nodeOf('True', {
        taints: [taint('dedicated', 'NoSchedule'), taint(unreachable), taint(notReady, 'NoSchedule')],
      }),
      expected: ['dedicated:NoSchedule', 'unreachable:NoExecute'],
    },
  ])('$name', ({ node, expected }) => {
    expect(named(withScheduleTaints(node, 'now'))).toEqual(expected)
  })

  test('keep their time', () => {
    const node = nodeOf('Unknown', { taints: [taint(unreachable, 'NoSchedule')] })
    expect(withScheduleTaints(node, 'now')).toEqual([taint(unreachable, 'NoSchedule')])
  })
})

describe('taints that remove pods', () => {
  test('are named by what is wrong', () => {
    expect([nodeOf('True'), nodeOf('False'), nodeOf('Unknown'), nodeOf(undefined)].map(troubleOf)).toEqual([
      undefined,
      notReady,
      unreachable,
      undefined,
    ])
    const node = nodeOf('False', { taints: [taint(notReady), taint(unreachable, 'NoSchedule'), taint('other')] })
    expect(executeTroublesOf(node)).toEqual([notReady])
  })

  test('come with their time, once', () => {
    const node = nodeOf('Unknown', { taints: [taint(notReady)] })
    const taints = withExecuteTaint(node, unreachable, 'now')
    expect(taints).toEqual([taint(notReady), { ...taint(unreachable), timeAdded: 'now' }])
    expect(withExecuteTaint(nodeOf('Unknown', { taints }), unreachable, 'later')).toEqual(taints)
  })

  test('go without those of others', () => {
    const node = nodeOf('True', {
      taints: [taint(notReady), taint(unreachable), taint('other'), taint(notReady, 'NoSchedule')],
    })
    expect(named(withoutExecuteTaints(node))).toEqual(['other:NoExecute', 'not-ready:NoSchedule'])
    expect(named(withoutExecuteTaints(node, unreachable))).toEqual([
      'unreachable:NoExecute',
      'other:NoExecute',
      'not-ready:NoSchedule',
    ])
  })

  test('are the same in any order', () => {
    const taints = [taint('a'), taint('b')]
    expect(hasTaints(nodeOf('True', { taints }), taints.toReversed())).toBe(true)
    expect(hasTaints(nodeOf('True', { taints }), [])).toBe(false)
  })
})
