import { expect, test } from 'vitest'
import type { Node, Pod } from '../../api/kubernetes/core.ts'
import type { NamespacedMeta } from '../../api/kubernetes/meta.ts'
import { stored, storedMeta } from '../../../test/build/stored.ts'
import { decideHold, type HoldDecision } from './decide-hold.ts'

const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'logs', uid: '1', controller: true }
const gate = { name: 'nodemaintenance.k8s.io/maintenance' }
const held = (metadata: Partial<NamespacedMeta> = {}, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: storedMeta({ namespace: 'shop', name: 'logs-1', ownerReferences: [owner], ...metadata }),
  spec: { containers: [], schedulingGates: [gate], priority: 100, ...spec },
})
const annotated = (status: string): Node => ({
  metadata: storedMeta({ name: 'six', annotations: { 'nodemaintenance.k8s.io/maintenance-status': status } }),
})
const draining = (podPriority: number) =>
  annotated(JSON.stringify({ drainTargets: [{ podPriority, podType: 'DaemonSet' }] }))

test.each<{ name: string; pod?: Pod; node: Node | undefined; expected: HoldDecision }>([
  { name: 'while its node is drained of pods like it', node: draining(100), expected: 'hold' },
  { name: 'once the annotation is gone', node: stored<Node>({ metadata: { name: 'six' } }), expected: 'release' },
  { name: 'once the node is gone', node: undefined, expected: 'release' },
  { name: 'once it is no longer within the targets', node: draining(99), expected: 'release' },
  { name: 'while the annotation cannot be read', node: annotated('?'), expected: 'hold' },
  {
    name: 'while it terminates',
    pod: held({ deletionTimestamp: '2024-04-22T21:40:32Z' }),
    node: undefined,
    expected: 'hold',
  },
  {
    name: 'if somebody took the gate off, so that the label goes too',
    pod: held({}, { schedulingGates: [] }),
    node: draining(100),
    expected: 'release',
  },
  { name: 'if it is of nobody', pod: held({ ownerReferences: [] }), node: draining(100), expected: 'release' },
])('$name: $expected', ({ pod = held(), node, expected }) => {
  expect(decideHold(pod, node)).toBe(expected)
})
