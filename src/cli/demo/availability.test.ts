import { expect, test } from 'vitest'
import type { Pod } from '../../api/kubernetes/core.ts'
import { stored } from '../../../test/build/stored.ts'
import { AvailabilityMeter } from './availability.ts'

type Seen = 'ready' | 'unready' | 'terminating' | 'gone'

function podOf(uid: string, seen: Seen, app = 'web'): Pod {
  return stored({
    metadata: {
      namespace: 'shop',
      uid,
      labels: { app },
      ...(seen === 'terminating' ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    status: { conditions: [{ type: 'Ready', status: seen === 'unready' ? 'False' : 'True' }] },
  })
}

interface Row {
  readonly name: string
  readonly wanted: number
  /** Second, pod, how it is seen from then on. */
  readonly story: readonly (readonly [atS: number, uid: string, seen: Seen, app?: string])[]
  readonly belowS: number
}

const rows: readonly Row[] = [
  { name: 'nothing has been seen yet', wanted: 1, story: [], belowS: 10 },
  { name: 'a pod that is ready all the time', wanted: 1, story: [[0, 'a', 'ready']], belowS: 0 },
  { name: 'a pod that comes late', wanted: 1, story: [[4, 'a', 'ready']], belowS: 4 },
  {
    name: 'a gap between two',
    wanted: 1,
    story: [
      [0, 'a', 'ready'],
      [3, 'a', 'gone'],
      [5, 'b', 'ready'],
    ],
    belowS: 2,
  },
  {
    name: 'a pod on its way out serves nobody',
    wanted: 1,
    story: [
      [0, 'a', 'ready'],
      [3, 'a', 'terminating'],
      [4, 'a', 'gone'],
      [6, 'b', 'ready'],
    ],
    belowS: 3,
  },
  {
    name: 'the replacement first',
    wanted: 1,
    story: [
      [0, 'a', 'ready'],
      [2, 'b', 'unready'],
      [3, 'b', 'ready'],
      [4, 'a', 'gone'],
    ],
    belowS: 0,
  },
  {
    name: 'two gaps add up',
    wanted: 1,
    story: [
      [0, 'a', 'ready'],
      [1, 'a', 'unready'],
      [2, 'a', 'ready'],
      [7, 'a', 'unready'],
      [9, 'a', 'ready'],
    ],
    belowS: 3,
  },
  {
    name: 'one that is still open counts until now',
    wanted: 2,
    story: [
      [0, 'a', 'ready'],
      [0, 'b', 'ready'],
      [7, 'b', 'gone'],
    ],
    belowS: 3,
  },
  { name: 'pods of others do not help', wanted: 1, story: [[0, 'a', 'ready', 'cart']], belowS: 10 },
]

test.each(rows)('$name', ({ wanted, story, belowS }) => {
  const meter = new AvailabilityMeter(new Map([['web', wanted]]), 0)
  for (const [atS, uid, seen, app] of story) meter.note(podOf(uid, seen, app), seen === 'gone', atS * 1_000)
  expect(meter.belowMs('web', 10_000)).toBe(belowS * 1_000)
})

test('what was before a restart does not count, what lasts goes on from there', () => {
  const meter = new AvailabilityMeter(new Map([['web', 1]]), 0)
  meter.restart(4_000)
  expect(meter.belowMs('web', 5_000)).toBe(1_000)
  expect(meter.short()).toEqual(['web'])
  meter.note(podOf('a', 'ready'), false, 6_000)
  expect(meter.short()).toEqual([])
  meter.restart(7_000)
  expect(meter.belowMs('web', 9_000)).toBe(0)
})
