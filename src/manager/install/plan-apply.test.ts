import { describe, expect, test } from 'vitest'
import { isContained, mergeWanted } from './plan-apply.ts'

describe('putting what we want over what is there', () => {
  const existing = {
    metadata: { name: 'a', resourceVersion: '7', uid: 'u', labels: { theirs: '1', ours: 'old' }, finalizers: ['f'] },
    secrets: [{ name: 'of-others' }],
    spec: { ours: 1, dropped: 2 },
  }
  const wanted = { metadata: { name: 'a', labels: { ours: 'new' }, annotations: { note: 'x' } }, spec: { ours: 3 } }
  const merged = mergeWanted(existing, wanted)

  test('keeps what identifies the object, and what others wrote', () => {
    expect(merged.metadata).toEqual({
      name: 'a',
      resourceVersion: '7',
      uid: 'u',
      labels: { theirs: '1', ours: 'new' },
      annotations: { note: 'x' },
      finalizers: ['f'],
    })
    expect(merged).toHaveProperty('secrets', [{ name: 'of-others' }])
  })

  test('replaces a field of ours as a whole', () => {
    expect(merged).toHaveProperty('spec', { ours: 3 })
  })
})

describe('what is wanted is there', () => {
  test.each([
    { name: 'when it is the same', wanted: { a: [1, { b: 'x' }] }, existing: { a: [1, { b: 'x' }] }, expected: true },
    {
      name: 'beside defaults',
      wanted: { a: [{ b: 1 }] },
      existing: { a: [{ b: 1, scope: '*' }], c: 2 },
      expected: true,
    },
    { name: 'but not with another value', wanted: { a: 1 }, existing: { a: 2 }, expected: false },
    { name: 'but not in a longer list', wanted: { a: [1] }, existing: { a: [1, 2] }, expected: false },
    { name: 'but not where something else stands', wanted: { a: { b: 1 } }, existing: { a: null }, expected: false },
    { name: 'but not where there is no list', wanted: { a: [] }, existing: {}, expected: false },
    { name: 'when a wish is left open', wanted: { a: undefined }, existing: {}, expected: true },
  ])('$name', ({ wanted, existing, expected }) => {
    expect(isContained(wanted, existing)).toBe(expected)
  })
})
