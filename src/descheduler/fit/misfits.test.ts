import { describe, expect, test } from 'vitest'
import { DenseMisfits, SparseMisfits, type Misfits } from './misfits.ts'

describe.each([
  { kind: 'few', create: (): Misfits => new SparseMisfits() },
  { kind: 'many', create: (): Misfits => new DenseMisfits(3) },
])('of $kind nodes', ({ create }) => {
  test('a node that was not looked at has none', () => {
    expect(create().get(0)).toBeUndefined()
  })

  test('each node has its own, until it fits', () => {
    const misfits = create()
    misfits.set(0, 'is cordoned')
    misfits.set(1, 'has the taint gpu')
    misfits.set(2, 'is cordoned')
    expect([0, 1, 2].map((position) => misfits.get(position))).toEqual([
      'is cordoned',
      'has the taint gpu',
      'is cordoned',
    ])
    misfits.set(0, undefined)
    misfits.set(1, 'is cordoned')
    expect([0, 1, 2].map((position) => misfits.get(position))).toEqual([undefined, 'is cordoned', 'is cordoned'])
  })
})
