import { expect, test } from 'vitest'
import { choiceFaults, conditionFaults, expressionFaults, ruleFaults, withoutNulls } from './rule-faults.ts'

const good = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }

test.each([
  [{}, []],
  [{ operations: [] }, ['at.operations']],
  [{ operations: ['PATCH'] }, ['at.operations[0]']],
  [{ operations: ['*', 'CREATE'] }, ['at.operations']],
  [{ apiGroups: [] }, ['at.apiGroups']],
  [{ apiVersions: ['', 'v1'] }, ['at.apiVersions[0]']],
  [{ resources: [] }, ['at.resources']],
  [{ resources: ['*', 'pods'] }, ['at.resources']],
  [{ resources: ['*', 'pods/status'] }, []],
  [{ resources: ['*/*', 'pods/status'] }, ['at.resources']],
  [{ scope: 'World' }, ['at.scope']],
])('%j has faults at %j', (extra, fields) => {
  expect(ruleFaults({ ...good, ...extra }, 'at').map(({ field }) => field)).toEqual(fields)
})

test('conditions have names of their own, and expressions that compile', () => {
  const conditions = [{ name: 'a', expression: 'true' }, { name: 'a', expression: 'x +' }, { expression: ' ' }]
  const faults = conditionFaults(conditions, ['x'], 'at')
  expect(faults.map(({ field, kind }) => `${field} ${kind}`)).toEqual([
    'at[1].expression Invalid',
    'at[1].name Duplicate',
    'at[2].expression Required',
    'at[2].name Required',
  ])
})

test('an expression that does not compile is shown', () => {
  expect(expressionFaults('x +', ['x'], 'at')[0]?.message).toMatch(/^Invalid value: "x \+": compilation failed: /)
  expect(expressionFaults('', ['x'], 'at', { missing: 'say something' })).toEqual([
    { field: 'at', kind: 'Required', message: 'Required value: say something' },
  ])
})

test('what is left out is no wrong choice', () => {
  expect(choiceFaults(undefined, ['a'], 'at')).toEqual([])
  expect(choiceFaults('b', ['a'], 'at')).toHaveLength(1)
})

test('a field that is null is not there', () => {
  expect(withoutNulls({ a: null, b: [{ c: null, d: 0 }] })).toEqual({ b: [{ d: 0 }] })
})
