import { expect, test } from 'vitest'
import { isInTrouble, isSilent } from './node-labels.ts'

test.each([
  { labels: {}, expected: [false, false] },
  { labels: { 'lifeboat.test/silent': 'true' }, expected: [true, false] },
  { labels: { 'lifeboat.test/silent': 'false' }, expected: [false, false] },
  { labels: { 'lifeboat.test/not-ready': 'true' }, expected: [false, true] },
])('$labels: silent, in trouble: $expected', ({ labels, expected }) => {
  const node = { metadata: { labels } }
  expect([isSilent(node), isInTrouble(node)]).toEqual(expected)
})

test('a node without labels is as it should be', () => {
  expect(isSilent({ metadata: {} })).toBe(false)
})
