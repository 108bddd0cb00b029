import { expect, test } from 'vitest'
import { parseLabelSelector } from './label-selector.ts'

const labels = { app: 'web', tier: 'front' }

test.each([
  { selector: '', expected: true },
  { selector: 'app=web', expected: true },
  { selector: 'app==web', expected: true },
  { selector: 'app=api', expected: false },
  { selector: 'app!=api', expected: true },
  { selector: 'zone!=a', expected: true },
  { selector: 'app', expected: true },
  { selector: 'zone', expected: false },
  { selector: '!zone', expected: true },
  { selector: '!app', expected: false },
  { selector: 'app in (web, api)', expected: true },
  { selector: 'app in (api),tier=front', expected: false },
  { selector: 'app notin (api)', expected: true },
  { selector: 'zone notin (a)', expected: true },
  { selector: 'app=web,tier in (front,back),!zone', expected: true },
])('"$selector" is $expected', ({ selector, expected }) => {
  expect(parseLabelSelector(selector)(labels)).toBe(expected)
})

test('what is no selector is refused', () => {
  expect(() => parseLabelSelector('app is web')).toThrow("unable to parse requirement: found 'is', expected: in, notin")
})
