import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Node } from '../kubernetes/core.ts'
import { silenceOf } from './node-silence.ts'

const since = '2026-01-01T00:00:00Z'
const nodeOf = (status?: 'True' | 'False' | 'Unknown') =>
  stored<Node>({
    metadata: { name: 'node-1', creationTimestamp: '2025-01-01T00:00:00Z' },
    status: { conditions: status === undefined ? [] : [{ type: 'Ready', status, lastTransitionTime: since }] },
  })

test.each([
  { name: 'is ready', node: nodeOf('True'), expected: undefined },
  { name: 'never reported', node: nodeOf(), expected: undefined },
  { name: 'has no status', node: stored<Node>({ metadata: { name: 'node-1' } }), expected: undefined },
  { name: 'fell silent', node: nodeOf('Unknown'), expected: { node: 'node-1', nodeReady: 'Unknown', since } },
  { name: 'reports trouble', node: nodeOf('False'), expected: { node: 'node-1', nodeReady: 'False', since } },
])('a node that $name', ({ node, expected }) => {
  expect(silenceOf(node)).toEqual(expected)
})
