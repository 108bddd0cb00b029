import { expect, test } from 'vitest'
import { podView } from '../../../test/build/descheduler-view.ts'
import { CycleState } from './cycle-state.ts'
import { OwnerShare } from './owner-share.ts'

const podsOf = (count: number) => Array.from({ length: count }, (_, index) => podView({ name: `web-${index}` }))

test.each([
  { percent: undefined, pods: 4, leaving: 4, allowed: true },
  { percent: 50, pods: 4, leaving: 1, allowed: true },
  { percent: 50, pods: 4, leaving: 2, allowed: false },
  { percent: 50, pods: 5, leaving: 2, allowed: false },
  { percent: 10, pods: 3, leaving: 0, allowed: true },
  { percent: 10, pods: 3, leaving: 1, allowed: false },
  { percent: 100, pods: 3, leaving: 2, allowed: true },
])('$percent %, $leaving of $pods leaving: one more $allowed', ({ percent, pods, leaving, allowed }) => {
  const all = podsOf(pods)
  const share = new OwnerShare(percent, new CycleState({ pods: all }), all.slice(0, leaving))
  expect(share.refusalFor(podView({ name: 'web-0' })) === undefined).toBe(allowed)
})

test('those that this cycle adds count, and the refusal says how many', () => {
  const state = new CycleState({ pods: podsOf(4) })
  const share = new OwnerShare(50, state, [])
  for (const pod of podsOf(2)) {
    share.add(pod)
    state.sendAway(pod)
  }
  expect(share.refusalFor(podView({ name: 'web-3' }))).toBe(
    '2 of 4 pods of ReplicaSet web are leaving: maxPercentPerOwner is 50',
  )
  expect(share.refusalFor(podView({ name: 'bare', owners: [] }))).toBeUndefined()
})
