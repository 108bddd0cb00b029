import { expect, test } from 'vitest'
import { renderFieldProblem } from './field-problem.ts'

test.each([
  {
    name: 'names the field, the value and what is allowed',
    problem: { field: 'spec.stage', value: 'Drian', allowed: 'one of Idle, Cordon, Drain, Complete' },
    expected: 'spec.stage is "Drian": one of Idle, Cordon, Drain, Complete',
  },
  {
    name: 'says that a value is missing',
    problem: { field: 'spec.podRef', value: undefined, allowed: 'an object' },
    expected: 'spec.podRef is missing: an object',
  },
  {
    name: 'speaks of the whole object',
    problem: { field: '', value: 3, allowed: 'an object' },
    expected: 'the object is 3: an object',
  },
  {
    name: 'cuts a long value',
    problem: { field: 'spec.reason', value: 'a'.repeat(2_000), allowed: 'at most 1024 characters' },
    expected: `spec.reason is "${'a'.repeat(99)}…: at most 1024 characters`,
  },
])('$name', ({ problem, expected }) => {
  expect(renderFieldProblem(problem)).toBe(expected)
})
