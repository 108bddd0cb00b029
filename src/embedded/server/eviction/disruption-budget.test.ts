import { expect, test } from 'vitest'
import { disruptionAllowedCondition } from './disruption-budget.ts'

const before = (status: string) => [
  { type: 'DisruptionAllowed', status, reason: '', message: '', lastTransitionTime: 'then' },
]

test.each([
  {
    name: 'room',
    status: { disruptionsAllowed: 1 },
    expected: { status: 'True', reason: 'SufficientPods', lastTransitionTime: 'now' },
  },
  {
    name: 'no room',
    status: { disruptionsAllowed: 0 },
    expected: { status: 'False', reason: 'InsufficientPods', lastTransitionTime: 'now' },
  },
  {
    name: 'still no room',
    status: { disruptionsAllowed: 0, conditions: before('False') },
    expected: { status: 'False', lastTransitionTime: 'then' },
  },
  {
    name: 'no room any more',
    status: { disruptionsAllowed: 0, conditions: before('True') },
    expected: { status: 'False', lastTransitionTime: 'now' },
  },
])('$name', ({ status, expected }) => {
  expect(disruptionAllowedCondition(status, 3, 'now')).toMatchObject({ ...expected, observedGeneration: 3 })
})
