import { expect, test } from 'vitest'
import type { Node } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { isMarked, slimNode } from './slim-node.ts'

const status = 'nodemaintenance.k8s.io/maintenance-status'

test('of a node only what a maintenance looks at is kept', () => {
  const node = {
    metadata: {
      name: 'one',
      uid: 'u',
      resourceVersion: '7',
      labels: { rack: '7' },
      annotations: { [status]: '{}', 'example.com/large': 'x' },
      managedFields: [{}],
    },
    spec: { unschedulable: true, taints: [{ key: 'a', effect: 'NoSchedule' }] },
    status: { images: [{ names: ['web'] }] },
  } as unknown as Node
  expect(slimNode(node)).toEqual({
    metadata: { name: 'one', uid: 'u', resourceVersion: '7', labels: { rack: '7' }, annotations: { [status]: '{}' } },
    spec: { unschedulable: true },
  })
  const bare = stored<Node>({ metadata: { name: 'two' } })
  expect(slimNode(bare)).toEqual({ metadata: { ...bare.metadata, annotations: {} }, spec: {} })
})

test.each([
  { name: 'with a status', annotations: { [status]: '{}' }, expected: true },
  { name: 'that Lifeboat cordoned', annotations: { 'nodemaintenance.k8s.io/cordoned': 'true' }, expected: true },
  { name: 'with nothing of the kind', annotations: { a: 'b' }, expected: false },
])('a node $name is marked: $expected', ({ annotations, expected }) => {
  expect(isMarked(stored<Node>({ metadata: { annotations: { ...annotations } } }))).toBe(expected)
})
