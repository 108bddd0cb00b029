import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { reduceNode } from './reduce-node.ts'

test('keeps what plugins read', () => {
  const taint = { key: 'gpu', effect: 'NoSchedule' }
  const { allocatable, capacity, ...rest } = reduceNode({
    metadata: storedMeta({ name: 'n1', labels: { zone: 'a' }, annotations: { long: 'text' } }),
    spec: { unschedulable: true, taints: [taint] },
    status: { allocatable: { cpu: '1500m', pods: '110' }, capacity: { memory: '1Ki' } },
  })
  expect(rest).toEqual({ name: 'n1', labels: { zone: 'a' }, taints: [taint], isCordoned: true, isReady: true })
  expect(Object.fromEntries(allocatable)).toEqual({ cpu: 1_500, pods: 110_000 })
  expect(Object.fromEntries(capacity)).toEqual({ memory: 1_024_000 })
})

test.each([
  { conditions: [{ type: 'Ready', status: 'True' }], expected: true },
  { conditions: [{ type: 'Ready', status: 'False' }], expected: false },
  { conditions: [{ type: 'Ready', status: 'Unknown' }], expected: false },
  { conditions: [{ type: 'DiskPressure', status: 'False' }], expected: true },
  { conditions: [], expected: true },
])('with the conditions $conditions it is ready: $expected', ({ conditions, expected }) => {
  expect(reduceNode({ metadata: storedMeta({ name: 'n1' }), status: { conditions } }).isReady).toBe(expected)
})
