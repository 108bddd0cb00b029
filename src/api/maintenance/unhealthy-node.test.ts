import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../kubernetes/core.ts'
import { isReadyNode, unhealthySince } from './unhealthy-node.ts'

const taint = (key: string, effect: string, timeAdded?: string) => ({
  key: `node.kubernetes.io/${key}`,
  effect,
  ...(timeAdded === undefined ? {} : { timeAdded }),
})
const [first, later] = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:09Z']

test.each([
  { name: 'no taints', taints: [], expected: [] },
  { name: 'one that keeps pods away only', taints: [taint('unreachable', 'NoSchedule', first)], expected: [] },
  { name: 'one of others', taints: [taint('out-of-service', 'NoExecute', first)], expected: [] },
  { name: 'one without a time, set by hand', taints: [taint('unreachable', 'NoExecute')], expected: [] },
  { name: 'not ready', taints: [taint('not-ready', 'NoExecute', first)], expected: ['not-ready'] },
  {
    name: 'both, as one takes the place of the other: the oldest first',
    taints: [taint('unreachable', 'NoExecute', later), taint('not-ready', 'NoExecute', first)],
    expected: ['not-ready', 'unreachable'],
  },
])('$name', ({ taints, expected }) => {
  const found = unhealthySince(stored<Node>({ metadata: { name: 'node-1' }, spec: { taints } }))
  expect(found.map(({ taint: key }) => key.replace('node.kubernetes.io/', ''))).toEqual(expected)
})

test.each<{ status: 'True' | 'False' | 'Unknown'; expected: boolean }>([
  { status: 'True', expected: true },
  { status: 'False', expected: false },
  { status: 'Unknown', expected: false },
])('a node whose condition Ready is $status', ({ status, expected }) => {
  expect(isReadyNode(stored<Node>({ metadata: {}, status: { conditions: [{ type: 'Ready', status }] } }))).toBe(
    expected,
  )
})
