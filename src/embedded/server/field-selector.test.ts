import { expect, test } from 'vitest'
import { storedMeta } from '../../../test/build/stored.ts'
import { parseFieldSelector } from './field-selector.ts'
import { pods } from './kinds/pods.ts'

const pod = {
  metadata: storedMeta({ name: 'cart', namespace: 'shop' }),
  spec: { nodeName: 'one' },
  status: { phase: 'Running' },
}

test.each([
  { selector: 'metadata.name=cart', expected: true },
  { selector: 'metadata.namespace=shop,spec.nodeName=one', expected: true },
  { selector: 'spec.nodeName=two', expected: false },
  { selector: 'status.phase!=Failed', expected: true },
  { selector: 'status.phase==Running', expected: true },
  { selector: 'spec.nodeName=', expected: false },
])('"$selector" is $expected', ({ selector, expected }) => {
  expect(parseFieldSelector(selector, pods)(pod)).toBe(expected)
})

test('a field that the kind does not offer is refused, and so is what is no selector', () => {
  expect(() => parseFieldSelector('spec.color=red', pods)).toThrow('field label not supported: spec.color')
  expect(() => parseFieldSelector('nonsense', pods)).toThrow("can't understand 'nonsense'")
})
