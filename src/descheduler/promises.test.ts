import { expect, test } from 'vitest'
import { podView } from '../../test/build/descheduler-view.ts'
import { VirtualClock } from '../runtime/virtual-clock.ts'
import { Promises } from './promises.ts'

const only = { requestEvictOnly: true }
const pods = [
  podView({ name: 'marked', marks: { ...only, evictionInProgress: true } }),
  podView({ name: 'half', marks: { evictionInProgress: true } }),
  podView({ name: 'over', marks: { ...only, evictionInProgress: true }, phase: 'Succeeded' }),
  podView({ name: 'promised', marks: only }),
]

test('pods with both marks, and those with a promise, are on their way', () => {
  const promises = new Promises(new VirtualClock())
  expect([...promises.leaving(pods)]).toEqual(['marked-uid'])
  promises.note(podView({ name: 'promised' }))
  expect([...promises.leaving(pods)]).toEqual(['marked-uid', 'promised-uid'])
})

test('a promise is forgotten after ten minutes, or when the pod is gone', async () => {
  const clock = new VirtualClock()
  const promises = new Promises(clock)
  promises.note(podView({ name: 'promised' }))
  await clock.advance(600_000)
  expect(promises.leaving(pods).has('promised-uid')).toBe(true)
  await clock.advance(1)
  expect(promises.leaving(pods).has('promised-uid')).toBe(false)
  promises.note(podView({ name: 'promised' }))
  promises.leaving([])
  expect(promises.leaving(pods).has('promised-uid')).toBe(false)
})

test('a mark takes the place of the promise: who removes it has given up', () => {
  const promises = new Promises(new VirtualClock())
  const pod = (marks: object) => [podView({ name: 'machine', marks: { ...only, ...marks } })]
  promises.note(podView({ name: 'machine' }))
  expect(promises.leaving(pod({})).has('machine-uid')).toBe(true)
  expect(promises.leaving(pod({ evictionInProgress: true })).has('machine-uid')).toBe(true)
  expect(promises.leaving(pod({})).has('machine-uid')).toBe(false)
})
