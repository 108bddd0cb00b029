import { expect, test } from 'vitest'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { OwnRequests } from './own-requests.ts'

test('a request counts until the watch shows it, or for a minute', async () => {
  const clock = new VirtualClock()
  const requests = new OwnRequests(clock)
  requests.note('a')
  requests.note('b')
  expect(requests.unseen(new Set())).toEqual(['a', 'b'])
  expect(requests.unseen(new Set(['a', 'x']))).toEqual(['b'])
  // Once it was shown, what becomes of it is the watch's to tell.
  expect(requests.unseen(new Set())).toEqual(['b'])
  await clock.advance(60_001)
  expect(requests.unseen(new Set())).toEqual([])
})
