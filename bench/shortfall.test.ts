import { expect, test } from 'vitest'
import { Shortfall } from './shortfall.ts'

type Change = readonly [atMs: number, application: string, available: number]

const rows: readonly { name: string; changes: readonly Change[]; podSeconds: number; lowest: number }[] = [
  { name: 'nothing changes: nothing is missing', changes: [], podSeconds: 0, lowest: 4 },
  {
    name: 'one pod is missing for two seconds',
    changes: [
      [1_000, 'shop', 3],
      [3_000, 'shop', 4],
    ],
    podSeconds: 2,
    lowest: 3,
  },
  {
    name: 'what one application has too many does not make up for what another lacks',
    changes: [
      [0, 'shop', 6],
      [0, 'cart', 2],
      [1_000, 'cart', 4],
    ],
    podSeconds: 2,
    lowest: 2,
  },
  {
    name: 'what is missing to the end counts to the end',
    changes: [[9_500, 'shop', 0]],
    podSeconds: 2,
    lowest: 0,
  },
  {
    name: 'a gap that lasts no time has no seconds, and is seen all the same',
    changes: [
      [500, 'shop', 3],
      [500, 'shop', 4],
    ],
    podSeconds: 0,
    lowest: 3,
  },
]

test.each(rows)('$name', ({ changes, podSeconds, lowest }) => {
  const shortfall = new Shortfall(4, 0)
  for (const [atMs, application, available] of changes) shortfall.set(application, available, atMs)
  expect(shortfall.until(10_000)).toEqual({ podSeconds, lowest })
})
