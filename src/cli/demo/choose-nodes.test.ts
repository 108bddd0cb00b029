import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { chooseNodes } from './choose-nodes.ts'

/** `cart@node-2`. */
function podOf(text: string): Pod {
  const [app = '', nodeName = ''] = text.split('@')
  return stored({ metadata: { namespace: 'shop', labels: { app } }, spec: { nodeName, containers: [] } })
}

test.each([
  {
    name: 'nodes of both applications',
    pods: 'web@node-1 cart@node-2 web@node-3',
    count: 2,
    expected: ['node-1', 'node-2'],
  },
  {
    name: 'one node for both leaves room for the fullest other',
    pods: 'web@node-1 cart@node-1 x@node-2 x@node-3 x@node-3',
    count: 2,
    expected: ['node-1', 'node-3'],
  },
  { name: 'the first matters most', pods: 'web@node-1 cart@node-2 cart@node-2', count: 1, expected: ['node-1'] },
  { name: 'numbers in names count', pods: 'web@node-10 cart@node-9', count: 2, expected: ['node-9', 'node-10'] },
  { name: 'a pod on no node is nowhere', pods: 'web@ cart@node-2', count: 1, expected: ['node-2'] },
])('$name', ({ pods, count, expected }) => {
  expect(chooseNodes(pods.split(' ').map(podOf), ['web', 'cart'], count)).toEqual(expected)
})
