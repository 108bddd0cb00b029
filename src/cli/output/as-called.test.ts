import { expect, test } from 'vitest'
import { asCalled } from './as-called.ts'

test.each([
  ['lifeboat', 'Try `lifeboat status`.'],
  ['kubectl lifeboat', 'Try `kubectl lifeboat status`.'],
])('called as %s', (programName, expected) => {
  expect(asCalled('Try `lifeboat status`.', { programName })).toBe(expected)
})

test('the name of the product stays', () => {
  expect(asCalled('Lifeboat and `kubectl get nodes`', { programName: 'kubectl lifeboat' })).toBe(
    'Lifeboat and `kubectl get nodes`',
  )
})
