import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { age, column, createdAt, firstOf, labelsText, orNone, selectorText, wideColumn } from './column.ts'

const nowMs = Date.UTC(2026, 0, 1, 0, 5)
const object = { metadata: storedMeta({ name: 'a', creationTimestamp: '2026-01-01T00:00:00Z' }) }

test('columns are for everybody unless they are wide', () => {
  expect(column('A', 'x', () => 'y')).toMatchObject({ name: 'A', type: 'string', priority: 0 })
  expect(wideColumn('A', 'x', () => 'y').priority).toBe(1)
  expect(age.cell(object, nowMs)).toBe('5m')
  expect(createdAt.cell(object, nowMs)).toBe('2026-01-01T00:00:00Z')
})

test('labels and selectors are in order, and nothing has a word', () => {
  expect(labelsText({ b: '2', a: '1' })).toBe('a=1,b=2')
  expect(labelsText(undefined)).toBe('<none>')
  expect(orNone('')).toBe('<none>')
  expect(
    selectorText({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'x', operator: 'NotIn', values: ['c'] },
        { key: 'y', operator: 'Exists' },
        { key: 'z', operator: 'DoesNotExist' },
      ],
    }),
  ).toBe('!z,app=web,tier in (a,b),x notin (c),y')
})

test('long lists are cut, with a count', () => {
  expect(firstOf([], 2)).toBe('<none>')
  expect(firstOf(['a', 'b'], 2)).toBe('a,b')
  expect(firstOf(['a', 'b', 'c', 'd'], 2)).toBe('a,b + 2 more...')
})
