import { expect, test } from 'vitest'
import { nodes } from '../kinds/cluster-kinds.ts'
import { newNodesAreNotReady } from './node-taints.ts'

const request = {
  operation: 'CREATE',
  definition: nodes,
  subresource: undefined,
  namespace: undefined,
  name: 'one',
  user: { name: 'x', groups: [] },
  dryRun: false,
  oldObject: undefined,
  options: undefined,
} as const

test('a new node gets the taint, once', () => {
  const first = newNodesAreNotReady.mutate?.({ ...request, object: { metadata: { name: 'one' } } }, [])
  expect(first).toMatchObject({ spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } })
  expect(newNodesAreNotReady.mutate?.({ ...request, object: first as never }, [])).toEqual(first)
})

test('a node that is there is left alone', () => {
  const object = { metadata: { name: 'one' } }
  expect(newNodesAreNotReady.mutate?.({ ...request, operation: 'UPDATE', object }, [])).toBe(object)
})
