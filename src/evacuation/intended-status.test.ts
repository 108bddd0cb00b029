import { expect, test } from 'vitest'
import { failure } from '../../test/build/fake-api.ts'
import { errorFromResponse } from '../kube/client/errors.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { writeIntended } from './intended-status.ts'

const { signal } = new AbortController()
const conflict = errorFromResponse('PATCH', failure(409, 'Conflict', 'the object has been modified'))
const notFound = errorFromResponse('PATCH', failure(404, 'NotFound', 'not found'))

test.each([
  { name: 'is written once it is five seconds old', agoMs: 5_000, expected: 'settled', writes: 1 },
  { name: 'waits until then', agoMs: 2_000, expected: 3_000, writes: 0 },
  { name: 'is over where the pod has moved', agoMs: undefined, expected: 'settled', writes: 0 },
  { name: 'is over where the Evacuation is gone', agoMs: 5_000, error: notFound, expected: 'settled', writes: 1 },
  { name: 'is tried again after a conflict', agoMs: 5_000, error: conflict, expected: 1_000, writes: 1 },
])('an intended status $name', async ({ agoMs, error, expected, writes }) => {
  const clock = new VirtualClock()
  await clock.advance(60_000)
  let written = 0
  const writer = {
    intendedAtMs: () => (agoMs === undefined ? undefined : clock.nowMs() - agoMs),
    writeIntended: async () => {
      written++
      if (error !== undefined) throw error
    },
  }
  const next = await writeIntended({ writer, clock }, 'shop/e', signal)
  expect(next.kind === 'again' ? next.atMs - clock.nowMs() : next.kind).toBe(expected)
  expect(written).toBe(writes)
})

test('any other failure is one', async () => {
  const writer = { intendedAtMs: () => 0, writeIntended: () => Promise.reject(new Error('etcd is away')) }
  const clock = new VirtualClock()
  await clock.advance(60_000)
  await expect(writeIntended({ writer, clock }, 'shop/e', signal)).rejects.toThrow('etcd is away')
})
