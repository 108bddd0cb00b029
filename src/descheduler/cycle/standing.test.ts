import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import { nothingStands, rankIn } from './standing.ts'

test('who is leaving comes first, and whose request ran out of time last', () => {
  const standing = { ...nothingStands, leaving: new Set(['a-uid', 'c-uid']), lastResort: new Set(['b-uid', 'c-uid']) }
  const ranks = ['a', 'b', 'c', 'd'].map((name) => rankIn(standing, podView({ name })))
  expect(ranks).toEqual([0, 2, 0, 1])
})
