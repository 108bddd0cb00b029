import { expect, test } from 'vitest'
import { annotationFaults } from './annotation-faults.ts'

// In the words of the real server; test/scenarios/pod-annotations.ts compares the commonest.

test.each([
  { name: 'no annotations', annotations: undefined },
  { name: 'a name', annotations: { name: 'any text\nof any kind: ü' } },
  { name: 'a name with a prefix', annotations: { 'example.com/My_Name.1': '' } },
  { name: 'capitals in the prefix', annotations: { 'Example.com/name': '' } },
  { name: 'a name of 63 characters', annotations: { ['a'.repeat(63)]: '' } },
])('takes $name', ({ annotations }) => {
  expect(annotationFaults(annotations)).toEqual([])
})

test.each([
  { key: '', expected: ['name part must be non-empty', 'name part must consist of'] },
  { key: 'example.com/', expected: ['name part must be non-empty', 'name part must consist of'] },
  { key: '/name', expected: ['prefix part must be non-empty'] },
  { key: 'a/b/c', expected: ['a qualified name must consist of'] },
  { key: 'under_score.com/name', expected: ['prefix part a lowercase RFC 1123 subdomain must consist of'] },
  { key: `${'a'.repeat(254)}/name`, expected: ['prefix part must be no more than 253 characters'] },
  { key: 'a'.repeat(64), expected: ['name part must be no more than 63 bytes'] },
  { key: 'яблоко', expected: ['name part must consist of'] },
  { key: '-name', expected: ['name part must consist of'] },
])('refuses the key "$key"', ({ key, expected }) => {
  const faults = annotationFaults({ [key]: 'value' })
  expect(faults).toEqual(
    expected.map((why) => ({
      field: 'metadata.annotations',
      kind: 'Invalid',
      message: expect.stringContaining(`Invalid value: "${key}": ${why}`) as string,
    })),
  )
})

test('refuses more than 256 KiB of keys and values', () => {
  expect(annotationFaults({ a: 'x'.repeat(262_143) })).toEqual([])
  expect(annotationFaults({ a: 'x'.repeat(262_144) })).toEqual([
    { field: 'metadata.annotations', kind: 'TooLong', message: 'Too long: may not be more than 262144 bytes' },
  ])
})
