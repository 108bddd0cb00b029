import { describe, expect, test } from 'vitest'
import { bothSelectors, isWithinSelector, selectorText } from './selectors.ts'

const web = { matchLabels: { app: 'web' } }
const mail = { matchLabels: { app: 'mail' } }
const front = { matchLabels: { tier: 'front' } }
const inZone = { matchExpressions: [{ key: 'zone', operator: 'In' as const, values: ['b', 'a'] }] }
const exists = { matchExpressions: [{ key: 'app', operator: 'Exists' as const }] }

test.each([
  { name: 'none', selector: undefined, expected: '' },
  { name: 'a label', selector: web, expected: 'app=web' },
  {
    name: 'labels in any order',
    selector: { matchLabels: { tier: 'front', app: 'web' } },
    expected: 'app=web,tier=front',
  },
  { name: 'values in any order', selector: inZone, expected: 'zone In a b' },
  { name: 'an expression without values', selector: exists, expected: 'app Exists' },
])('the text of $name', ({ selector, expected }) => {
  expect(selectorText(selector)).toBe(expected)
})

test.each([
  { name: 'anything is within none', inner: web, outer: undefined, expected: true },
  { name: 'none is within nothing else', inner: undefined, outer: web, expected: false },
  { name: 'itself', inner: web, outer: { matchLabels: { app: 'web' } }, expected: true },
  { name: 'one that asks for more', inner: { matchLabels: { app: 'web', tier: 'front' } }, outer: web, expected: true },
  {
    name: 'one that asks for less',
    inner: web,
    outer: { matchLabels: { app: 'web', tier: 'front' } },
    expected: false,
  },
  { name: 'one that asks for something else', inner: mail, outer: web, expected: false },
])('$name: $expected', ({ inner, outer, expected }) => {
  expect(isWithinSelector(inner, outer)).toBe(expected)
})

describe('both', () => {
  test.each([
    { name: 'asks for everything', one: web, other: front, expected: { matchLabels: { app: 'web', tier: 'front' } } },
    { name: 'keeps expressions', one: web, other: inZone, expected: { ...web, ...inZone } },
    { name: 'names nothing twice', one: inZone, other: inZone, expected: inZone },
    { name: 'is nothing where labels differ', one: web, other: mail, expected: undefined },
    {
      name: 'is nothing where it would take too many labels',
      one: { matchLabels: Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((key) => [key, ''])) },
      other: { matchLabels: Object.fromEntries(['f', 'g', 'h', 'i'].map((key) => [key, ''])) },
      expected: undefined,
    },
  ])('$name', ({ one, other, expected }) => {
    expect(bothSelectors(one, other)).toEqual(expected)
  })
})
