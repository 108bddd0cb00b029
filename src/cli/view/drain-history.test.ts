import { expect, test } from 'vitest'
import { noHistory, remember, type NodeSight } from './drain-history.ts'

const sight = (left: number, isDrained = false): NodeSight => ({ name: 'node-1', left, isDrained })

function told(...sights: readonly NodeSight[]) {
  return sights.reduce((history, each, index) => remember(history, [each], index * 1_000), noHistory).get('node-1')
}

test.each([
  { name: 'what is there at first is left, and not gone', sights: [sight(5)], expected: { left: 5, gone: 0 } },
  { name: 'what goes is gone', sights: [sight(5), sight(3)], expected: { left: 3, gone: 2 } },
  { name: 'what comes is more to do', sights: [sight(5), sight(3), sight(4)], expected: { left: 4, gone: 2 } },
  { name: 'and may go, too', sights: [sight(5), sight(3), sight(4), sight(0)], expected: { left: 0, gone: 6 } },
])('$name', ({ sights, expected }) => expect(told(...sights)).toMatchObject(expected))

test('the moment of being drained is kept', () => {
  expect(told(sight(1), sight(0, true), sight(0, true))).toMatchObject({ drainedAtMs: 1_000 })
})

test('who was drained from the start was so at a time that nobody knows', () => {
  expect(told(sight(0, true), sight(0, true))).toMatchObject({ drainedAtMs: undefined })
})

test('a pod that comes to a drained node makes it undrained', () => {
  expect(told(sight(1), sight(0, true), sight(1), sight(0, true))).toMatchObject({ drainedAtMs: 3_000, gone: 2 })
})

test('nodes do not mix', () => {
  const history = remember(noHistory, [sight(5), { name: 'node-2', left: 1, isDrained: false }], 0)
  expect(remember(history, [{ name: 'node-2', left: 0, isDrained: true }], 1).get('node-1')).toMatchObject({ left: 5 })
})
