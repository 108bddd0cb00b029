import { expect, test } from 'vitest'
import { Tally } from './tally.ts'

const none = { total: undefined, perNode: undefined, perNamespace: undefined }
const at = (nodeName: string, namespace = 'shop') => ({ nodeName, namespace })

test.each([
  { name: 'no limits', limits: none, underWay: [at('n1'), at('n1')], expected: undefined },
  { name: 'a total that is not reached', limits: { ...none, total: 2 }, underWay: [at('n2')], expected: undefined },
  { name: 'a total that is', limits: { ...none, total: 2 }, underWay: [at('n2'), at('n3')], expected: 'totalLimit' },
  { name: 'a total of 0', limits: { ...none, total: 0 }, underWay: [], expected: 'totalLimit' },
  { name: 'the node is full', limits: { ...none, perNode: 1 }, underWay: [at('n1', 'x')], expected: 'nodeLimit' },
  { name: 'another node is full', limits: { ...none, perNode: 1 }, underWay: [at('n2')], expected: undefined },
  { name: 'the namespace is', limits: { ...none, perNamespace: 1 }, underWay: [at('n2')], expected: 'namespaceLimit' },
  { name: 'another one is', limits: { ...none, perNamespace: 1 }, underWay: [at('n1', 'x')], expected: undefined },
  {
    name: 'all of them: the total first',
    limits: { total: 1, perNode: 1, perNamespace: 1 },
    underWay: [at('n1')],
    expected: 'totalLimit',
  },
  {
    name: 'node and namespace: the node first',
    limits: { total: 9, perNode: 1, perNamespace: 1 },
    underWay: [at('n1')],
    expected: 'nodeLimit',
  },
])('$name: $expected', ({ limits, underWay, expected }) => {
  expect(new Tally(limits, underWay).limitFor(at('n1'))).toBe(expected)
})

test('what the cycle adds counts', () => {
  const tally = new Tally({ ...none, total: 2 }, [at('n1')])
  expect(tally.limitFor(at('n1'))).toBeUndefined()
  tally.add(at('n1'))
  expect(tally.total).toBe(2)
  expect(tally.limitFor(at('n1'))).toBe('totalLimit')
})
