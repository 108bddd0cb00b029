import { expect, test } from 'vitest'
import { resourceId } from './definition.ts'

test('the core group leaves no mark in the name', () => {
  expect(resourceId({ group: '', plural: 'pods' })).toBe('pods')
  expect(resourceId({ group: 'apps', plural: 'deployments' })).toBe('deployments.apps')
})
