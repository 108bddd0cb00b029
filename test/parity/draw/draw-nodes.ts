import type { Taint } from '../../../src/api/kubernetes/scheduling.ts'
import type { CaseNode } from '../case.ts'
import { zone } from '../cases/parts.ts'
import type { Dice } from './dice.ts'

/**
 * How much room nodes have. A pod that leaves makes room, and upstream may or may not see that before it looks at the
 * next pod. So where upstream looks between two evictions, a node has plenty of room or never enough (`plentyOrNone`).
 */
export type Room = 'any' | 'plentyOrNone'

export interface NodeOptions {
  readonly room: Room
  readonly zones?: readonly string[]
  /** Of nodes with taints. */
  readonly tainted?: number
}

const taintChoices: readonly [Taint, ...Taint[]] = [
  { key: 'dedicated', value: 'a', effect: 'NoSchedule' },
  { key: 'dedicated', value: 'b', effect: 'NoSchedule' },
  { key: 'level', value: '5', effect: 'NoSchedule' },
  { key: 'soft', effect: 'PreferNoSchedule' },
  { key: 'hard', effect: 'NoExecute' },
]

export function drawNodes(
  dice: Dice,
  { room, zones = ['a', 'b', 'c'], tainted = 0.3 }: NodeOptions,
): readonly CaseNode[] {
  return Array.from({ length: dice.integer(2, 8) }, (_, index): CaseNode => {
    // A cycle needs two nodes that are ready.
    const isSpecial = index > 1
    return {
      name: `n${index + 1}`,
      labels: {
        pool: dice.pick(['x', 'x', 'y']),
        ...dice.maybe(0.9, () => ({
          [zone]: zones[index < zones.length ? index : dice.integer(0, zones.length - 1)] ?? '',
        })),
      },
      taints: dice.chance(tainted) ? drawTaints(dice) : [],
      allocatable: drawRoom(dice, room, index),
      ...(isSpecial ? dice.maybe(0.15, () => ({ cordoned: true })) : {}),
      ...(isSpecial ? dice.maybe(0.1, () => ({ ready: dice.pick<boolean | 'unknown'>([false, 'unknown']) })) : {}),
      ...(isSpecial ? dice.maybe(0.1, () => ({ unselected: true })) : {}),
    }
  })
}

function drawTaints(dice: Dice): readonly Taint[] {
  const first = dice.pick(taintChoices)
  const second = dice.pick(taintChoices)
  return dice.chance(0.3) && second.key !== first.key ? [first, second] : [first]
}

function drawRoom(dice: Dice, room: Room, index: number) {
  if (room === 'any') return { cpu: dice.pick(['1', '4', '8', '8']), pods: dice.pick(['6', '110', '110']) }
  // Every pod requests more cpu than that.
  return { cpu: index > 1 && dice.chance(0.25) ? '10m' : '64' }
}
