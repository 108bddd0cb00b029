import { expect, test } from 'vitest'
import { pods } from '../kinds/pods.ts'
import { namesNamespacedObject, namesObject } from './context.ts'

const request = {
  method: 'GET',
  path: '/',
  query: {},
  headers: {},
  body: undefined,
  user: { name: 'ann', groups: [] },
  signal: undefined,
} as const

test.each([
  { name: 'a collection', target: { namespace: 'shop', name: undefined }, one: false, namespaced: false },
  { name: 'an object of the cluster', target: { namespace: undefined, name: 'a' }, one: true, namespaced: false },
  { name: 'an object in a namespace', target: { namespace: 'shop', name: 'a' }, one: true, namespaced: true },
])('$name', ({ target, one, namespaced }) => {
  const asked = { request, definition: pods, subresource: undefined, dryRun: false, ...target }
  expect([namesObject(asked), namesNamespacedObject(asked)]).toEqual([one, namespaced])
})
