import { expect, test } from 'vitest'
import { selectNodes } from '../../test/build/maintenance.ts'
import { stored } from '../../test/build/stored.ts'
import type { Node } from '../api/kubernetes/core.ts'
import { newNodeMaintenanceStatus, type NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import { changesHold, changesSelection } from './changes.ts'

const finalizers = ['nodemaintenance.k8s.io/maintenance-completion']
const maintenance = (metadata: Partial<NodeMaintenance['metadata']> = {}, change: Partial<NodeMaintenance> = {}) =>
  stored<NodeMaintenance>({
    metadata: { name: 'upgrade', generation: 1, finalizers, ...metadata },
    spec: { stage: 'Drain', nodeSelector: selectNodes('one') },
    ...change,
  })

test.each([
  { name: 'its status', object: maintenance({}, { status: newNodeMaintenanceStatus }), expected: false },
  { name: 'another label', object: maintenance({ labels: { team: 'a' } }), expected: false },
  { name: 'its spec', object: maintenance({ generation: 2 }), expected: true },
  { name: 'that it is deleted', object: maintenance({ deletionTimestamp: '2026-01-01T00:00:00Z' }), expected: true },
  { name: 'the finalizer by which it holds nodes', object: maintenance({ finalizers: [] }), expected: true },
])('a maintenance holds other nodes after a change of $name: $expected', ({ object, expected }) => {
  expect(changesHold({ kind: 'updated', previous: maintenance(), object })).toBe(expected)
})

const node = (labels: Readonly<Record<string, string>>, unschedulable?: boolean) =>
  stored<Node>({ metadata: { name: 'one', labels }, spec: unschedulable === undefined ? {} : { unschedulable } })

test.each([
  { name: 'nothing that counts', object: node({ pool: 'a' }), expected: false },
  { name: 'a label', object: node({ pool: 'b' }), expected: true },
  { name: 'a cordon', object: node({ pool: 'a' }, true), expected: true },
])('a node is selected otherwise after a change of $name: $expected', ({ object, expected }) => {
  expect(changesSelection({ kind: 'updated', previous: node({ pool: 'a' }), object })).toBe(expected)
})
