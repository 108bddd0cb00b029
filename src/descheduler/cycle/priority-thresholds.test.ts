import { expect, test } from 'vitest'
import { defaultEvictorArgs, profileOf } from '../../../test/build/cycle-policy.ts'
import { thresholdProblems, valueOf } from './priority-thresholds.ts'

const values = new Map([
  ['high', 1_000],
  ['system-node-critical', 2_000_001_000],
])
const profile = (name: string) => ({
  ...profileOf('p', {}),
  defaultEvictor: { ...defaultEvictorArgs, priorityThreshold: { name } },
})

test.each([
  { name: 'high', expected: [] },
  {
    name: 'hgih',
    expected: [
      'profile p, plugin DefaultEvictor: args.priorityThreshold.name is "hgih": there is no such PriorityClass',
    ],
  },
  {
    name: 'system-node-critical',
    expected: [
      'profile p, plugin DefaultEvictor: args.priorityThreshold.name is "system-node-critical": its value is 2000001000; must be at most 2000000000',
    ],
  },
])('the threshold $name', ({ name, expected }) => {
  expect(thresholdProblems([profileOf('q', {}), profile(name)], values)).toEqual(expected)
})

test('a threshold is a value, or that of its class', () => {
  expect([undefined, { value: 7 }, { name: 'high' }].map((threshold) => valueOf(threshold, values))).toEqual([
    undefined,
    7,
    1_000,
  ])
})
