import { expect, test } from 'vitest'
import { buildDrainView, type NodeLook } from '../../../test/build/drain-view.ts'
import { drainPicture } from './drain-picture.ts'
import { nothingSaid, plainLines } from './plain-lines.ts'

/** Each sight is what the nodes look like at a second. */
function said(
  ...sights: readonly (readonly [second: number, looks: readonly NodeLook[], trouble?: string])[]
): string[][] {
  let memory = nothingSaid
  return sights.map(([second, looks, trouble]) => {
    const view = buildDrainView({ name: 'drain-a', looks, view: { trouble, expectedNodes: ['node-9'] } })
    const heard = plainLines(drainPicture(view, second * 1_000), memory, second * 1_000)
    memory = heard.memory
    return heard.lines
  })
}

const one = (pending: number, evacuating = 0): readonly NodeLook[] => [{ name: 'node-1', pending, evacuating }]

test('it begins with the whole and what each node is at; a node that nobody came to has no line', () => {
  expect(said([1, [{ name: 'node-2' }, ...one(2, 1)]])).toEqual([
    [
      '[1s] drain-a: 1/3 nodes drained, 0/3 pods gone, 1s',
      '[1s] node-1: 0/3 gone, 1 on the way, 2 to come',
      '[1s] node-2: drained',
    ],
  ])
})

test('the same is not said twice', () => {
  expect(said([1, one(2)], [5, one(2)])[1]).toEqual([])
})

test('a change is said at once, and a node speaks once a second at most', () => {
  const [, second, third, fourth] = said([1, one(3)], [2, one(2)], [2.5, one(1)], [3, one(1)])
  expect(second).toEqual(['[2s] node-1: 0/2 gone, 2 to come'])
  expect(third).toEqual([])
  expect(fourth).toEqual(['[3s] node-1: 0/1 gone, 1 to come'])
})

test('while nothing happens there is a line each minute', () => {
  const [, before, beat, after] = said([0, one(3)], [59, one(3)], [60, one(3)], [61, one(3)])
  expect([before, after]).toEqual([[], []])
  expect(beat).toEqual(['[1m] drain-a: 0/2 nodes drained, 0/3 pods gone, 1m'])
})

test('trouble is said once', () => {
  const [, trouble, same] = said([0, one(3)], [2, one(3), 'no answer'], [4, one(3), 'no answer'])
  expect(trouble).toEqual(['[2s] no answer'])
  expect(same).toEqual([])
})
