import { expect, test } from 'vitest'
import { nodeView } from '../../../test/build/descheduler-view.ts'
import { nowhere, Topology } from './topology.ts'

const topology = new Topology([
  nodeView({ name: 'n1', labels: { zone: 'a' } }),
  nodeView({ name: 'n2', labels: { zone: 'b' } }),
  nodeView({ name: 'n3', labels: {} }),
  nodeView({ name: 'n4', labels: { zone: 'a' } }),
])

test('nodes with the same value are one domain, and nodes without the label are in none', () => {
  const { ofNodes, sizes } = topology.domainsBy('zone')
  expect([...ofNodes]).toEqual([0, 1, nowhere, 0])
  expect(sizes).toEqual([2, 1])
  expect(topology.domainsBy('zone').ofNodes).toBe(ofNodes)
})

test('a label that no node has makes no domain, whatever its name', () => {
  expect(topology.domainsBy('constructor').sizes).toEqual([])
})

test('a node is found by its name', () => {
  expect(topology.positionOf('n3')).toBe(2)
  expect(topology.positionOf('n9')).toBe(nowhere)
})
