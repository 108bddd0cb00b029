import { expect, test } from 'vitest'
import { emptySum, sumOf } from './group-sum.ts'
import type { NodeGroup, Standing } from './standing.ts'
import { canonical } from './targets.ts'

const low = canonical([{ podPriority: 1, podType: 'Default' }])
const high = canonical([{ podPriority: 9, podType: 'Default' }])
const standing = (position: number) => ({ position }) as Standing
const member = (choices: { lowest: number[]; targets?: typeof low; leaving?: number; targeted?: number }) => ({
  tally: {
    lowest: choices.lowest,
    pending: 3,
    evacuating: 1,
    node: { reached: low, pods: { leaving: Array.from({ length: choices.leaving ?? 4 }), staying: { Static: 1 } } },
  },
  targets: choices.targets ?? low,
  targeted: choices.targeted ?? 0,
})

test('the nodes of a group together', () => {
  const group = {
    standings: [standing(0), standing(2)],
    members: [
      member({ lowest: [0, 2], targeted: 1 }),
      member({ lowest: [1, 2], targets: high }),
      member({ lowest: [0, 3], leaving: 0 }),
    ],
  } as unknown as NodeGroup
  expect(sumOf(group)).toEqual({
    nodesDrained: 1,
    pending: 9,
    evacuating: 3,
    staying: { DaemonSet: 0, Static: 3, NodeAgent: 0 },
    isEvacuating: true,
    targets: new Set([low, high]),
    reached: new Set([low]),
    // The first has pods of its current entry on nodes with low targets alone, the second on both kinds.
    current: [new Set([low]), new Set([low, high])],
  })
})

test('of no nodes nothing', () => {
  expect(emptySum([standing(0)])).toMatchObject({ pending: 0, isEvacuating: false, current: [new Set()] })
})
