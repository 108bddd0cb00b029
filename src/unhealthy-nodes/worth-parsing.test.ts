import { expect, test } from 'vitest'
import { nodeEventFilter } from './worth-parsing.ts'

const isWorthParsing = nodeEventFilter((name) => name === 'node-1')
const event = (type: string, name: string, spec: object = {}) =>
  Buffer.from(JSON.stringify({ type, object: { kind: 'Node', apiVersion: 'v1', metadata: { name, uid: 'u' }, spec } }))
const taints = [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }]

test.each([
  { name: 'a node that is well reports', line: event('MODIFIED', 'node-2'), expected: false },
  { name: 'one with a longer name than a known one', line: event('MODIFIED', 'node-11'), expected: false },
  { name: 'a node that is known reports', line: event('MODIFIED', 'node-1'), expected: true },
  { name: 'a node gets a taint', line: event('MODIFIED', 'node-2', { taints }), expected: true },
  { name: 'a node is new', line: event('ADDED', 'node-2'), expected: true },
  { name: 'a node is gone', line: event('DELETED', 'node-2'), expected: true },
  { name: 'a bookmark', line: Buffer.from('{"type":"BOOKMARK","object":{}}'), expected: true },
  {
    name: 'another order of fields',
    line: Buffer.from('{"type":"MODIFIED","object":{"metadata":{}}}'),
    expected: true,
  },
  { name: 'nothing that is understood', line: Buffer.from('{'), expected: true },
])('$name', ({ line, expected }) => {
  expect(isWorthParsing(line)).toBe(expected)
})
