import { expect, test } from 'vitest'
import { nodeView } from '../../../test/build/descheduler-view.ts'
import { NodeRing } from './node-ring.ts'

const nodes = ['n1', 'n2', 'n3', 'n4'].map((name) => nodeView({ name }))

test('a turn goes over every node once, and begins where the last search ended', () => {
  const ring = new NodeRing(nodes)
  for (const { name } of ring.turn()) if (name === 'n3') break
  expect(Array.from(ring.turn(), ({ name }) => name)).toEqual(['n3', 'n4', 'n1', 'n2'])
  expect(Array.from(ring.turn(), ({ name }) => name)).toEqual(['n2', 'n3', 'n4', 'n1'])
})

test('a turn over no nodes ends at once', () => {
  expect([...new NodeRing([]).turn()]).toEqual([])
})
