import { expect, test } from 'vitest'
import { reviewKinds } from './review-kinds.ts'

test('reviews can be created and nothing else, and only the local one is in a namespace', () => {
  expect(reviewKinds.every(({ verbs }) => verbs?.join(',') === 'create')).toBe(true)
  expect(reviewKinds.filter(({ namespaced }) => namespaced).map(({ kind }) => kind)).toEqual([
    'LocalSubjectAccessReview',
  ])
})
