import { expect, test } from 'vitest'
import { findCondition, withoutCondition, withWorkloadCondition } from './workload-condition.ts'

const before = [
  {
    type: 'Available',
    status: 'True',
    reason: 'Enough',
    message: '',
    lastUpdateTime: 'then',
    lastTransitionTime: 'then',
  },
]

test.each([
  { name: 'the same is no news', change: { status: 'True', reason: 'Enough' }, update: 'then', transition: 'then' },
  { name: 'another reason is', change: { status: 'True', reason: 'Plenty' }, update: 'now', transition: 'then' },
  {
    name: 'another status is a transition',
    change: { status: 'False', reason: 'Few' },
    update: 'now',
    transition: 'now',
  },
])('$name', ({ change, update, transition }) => {
  const conditions = withWorkloadCondition(before, { type: 'Available', message: '', ...change }, 'now')
  expect(findCondition(conditions, 'Available')).toMatchObject({
    lastUpdateTime: update,
    lastTransitionTime: transition,
  })
})

test('progress is told again and again', () => {
  const change = { type: 'Available', status: 'True', reason: 'Enough', message: 'more' }
  expect(withWorkloadCondition(before, change, 'now', { alwaysUpdate: true })).toMatchObject([
    { lastUpdateTime: 'now' },
  ])
})

test('what is over is taken out', () => {
  expect(withoutCondition(before, 'Available')).toEqual([])
})
