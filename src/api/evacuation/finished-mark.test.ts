import { expect, test } from 'vitest'
import { stored } from '../../../test/build/stored.ts'
import type { Evacuation } from './evacuation.ts'
import { finishedMark, finishedSelector, isMarkedFinished, withoutMark } from './finished-mark.ts'

const spec = { podRef: { name: 'web', uid: 'u' }, progressDeadlineSeconds: 1_800 }

test.each([
  { name: 'one with the mark', metadata: { labels: finishedMark }, expected: true },
  { name: 'one without labels', metadata: {}, expected: false },
  {
    name: 'one with the label set otherwise',
    metadata: { labels: { ...finishedMark, [Object.keys(finishedMark)[0] ?? '']: 'no' } },
    expected: false,
  },
  {
    name: 'one that is being deleted',
    metadata: { labels: finishedMark, deletionTimestamp: '2026-01-01T00:00:00Z' },
    expected: false,
  },
])('$name is to be deleted: $expected', ({ metadata, expected }) =>
  expect(isMarkedFinished(stored<Evacuation>({ metadata, spec }))).toBe(expected),
)

test('the mark can be selected by', () => {
  expect(Object.entries(finishedMark).map(([key, value]) => `${key}=${value}`)).toEqual([finishedSelector])
})

test('a pod cannot hand it down', () => {
  expect(withoutMark({ app: 'web', ...finishedMark })).toEqual({ app: 'web' })
})
