import { expect, test } from 'vitest'
import { Findings, renderPolicyProblem, UnfollowablePolicyError } from './problem.ts'

test.each([
  {
    name: 'outside of profiles only the field is named',
    place: { profile: undefined, plugin: undefined },
    expected: 'gracePeriodSeconds is -1: must be a whole number of at least 0',
  },
  {
    name: 'a profile is named before the field',
    place: { profile: 'default', plugin: undefined },
    expected: 'profile default: gracePeriodSeconds is -1: must be a whole number of at least 0',
  },
  {
    name: 'a plugin is named with its profile',
    place: { profile: 'default', plugin: 'PodLifeTime' },
    expected: 'profile default, plugin PodLifeTime: gracePeriodSeconds is -1: must be a whole number of at least 0',
  },
])('$name', ({ place, expected }) => {
  const problem = { field: 'gracePeriodSeconds', value: -1, allowed: 'must be a whole number of at least 0' }
  expect(renderPolicyProblem({ ...place, ...problem })).toBe(expected)
})

test('findings keep what is reported at every place', () => {
  const findings = new Findings()
  findings
    .at({ profile: 'a', plugin: 'PodLifeTime' })
    .problem({ field: 'args', value: 1, allowed: 'must be an object' })
  findings.at({ profile: 'b', plugin: undefined }).warning('plugins.sort has no effect')
  expect(findings.problems).toEqual([
    { profile: 'a', plugin: 'PodLifeTime', field: 'args', value: 1, allowed: 'must be an object' },
  ])
  expect(findings.warnings).toEqual(['profile b: plugins.sort has no effect'])
})

test('a policy that cannot be followed has a line for each problem', () => {
  const error = new UnfollowablePolicyError(['no such class', 'no such mode'])
  expect(error.message).toBe('no such class\nno such mode')
  expect(error.problems).toHaveLength(2)
})
