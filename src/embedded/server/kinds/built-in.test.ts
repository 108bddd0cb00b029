import { expect, test } from 'vitest'
import { builtIn, scale, statusOf } from './built-in.ts'

test('what is not said is as with most kinds', () => {
  const definition = builtIn({ group: 'apps', version: 'v1', plural: 'things', kind: 'Thing' })
  expect(definition).toMatchObject({
    singular: 'thing',
    namespaced: true,
    mayUpdateUnconditionally: true,
    subresources: [],
  })
  expect(builtIn({ group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }).namespaced).toBe(false)
})

test('a status is of the kind itself, a scale is not', () => {
  expect(statusOf({ group: 'apps', version: 'v1', kind: 'Deployment' })).toMatchObject({
    name: 'status',
    kind: 'Deployment',
  })
  expect(scale).toMatchObject({ group: 'autoscaling', kind: 'Scale' })
})
