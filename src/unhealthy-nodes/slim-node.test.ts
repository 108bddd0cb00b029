import { expect, test } from 'vitest'
import type { Node } from '../api/kubernetes/core.ts'
import { isConspicuous, slimNode } from './slim-node.ts'

const metadata = { name: 'node-1', uid: 'u', resourceVersion: '7', labels: { zone: 'a' }, annotations: { other: 'x' } }
const kept = { name: 'node-1', uid: 'u', resourceVersion: '7' }
const unreachable = {
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
  timeAdded: '2026-01-01T00:00:00Z',
}
const conditions: NonNullable<Node['status']>['conditions'] = [
  { type: 'MemoryPressure', status: 'False' },
  { type: 'Ready', status: 'Unknown', message: 'Kubelet stopped posting node status.' },
]

test('next to nothing is kept of a node that reports', () => {
  const node: Node = {
    metadata,
    spec: {},
    status: { conditions: [{ type: 'Ready', status: 'True', message: 'well' }] },
  }
  const slim = slimNode(node)
  expect(slim).toEqual({ metadata: kept, status: { conditions: [{ type: 'Ready', status: 'True' }] } })
  expect(isConspicuous(slim)).toBe(false)
})

test('of one that does not, the taints that count are kept', () => {
  const taints = [{ ...unreachable, effect: 'NoSchedule' }, unreachable, { ...unreachable, key: 'example.com/mine' }]
  const slim = slimNode({ metadata, spec: { taints }, status: { conditions } })
  expect(slim).toEqual({
    metadata: kept,
    spec: { taints: [unreachable] },
    status: { conditions: [{ type: 'Ready', status: 'False' }] },
  })
  expect(isConspicuous(slim)).toBe(true)
})

test('what is noted on it is kept', () => {
  const annotations = { other: 'x', 'evacuation.coordination.k8s.io/unhealthy': '{}' }
  const slim = slimNode({ metadata: { ...metadata, annotations } })
  expect(slim.metadata).toEqual({ ...kept, annotations: { 'evacuation.coordination.k8s.io/unhealthy': '{}' } })
  expect(isConspicuous(slim)).toBe(true)
})
