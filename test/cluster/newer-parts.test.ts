import { expect, test } from 'vitest'
import { hasPart, newerParts, type NewerPartName } from './newer-parts.ts'
import { releaseVariable } from './recipes.ts'

const names = Object.keys(newerParts) as NewerPartName[]

test.each(names)('%s is in the newest Kubernetes and not in the oldest, or it need not be listed', (name) => {
  expect(hasPart(name, {})).toBe(true)
  expect(hasPart(name, { [releaseVariable]: 'newest' })).toBe(true)
  expect(hasPart(name, { [releaseVariable]: 'oldest' })).toBe(false)
})
