import { expect, test } from 'vitest'
import { Definitions } from './definitions.ts'
import { pods } from './kinds/pods.ts'
import { deployments } from './kinds/workloads.ts'

test('a kind is found by its path and by its name in the store, until it goes', () => {
  const definitions = new Definitions([pods])
  definitions.add(deployments)
  expect(definitions.find('apps', 'v1', 'deployments')).toBe(deployments)
  expect(definitions.byId('deployments.apps')).toBe(deployments)
  expect(definitions.find('apps', 'v2', 'deployments')).toBeUndefined()
  definitions.remove(deployments)
  expect(definitions.all()).toEqual([pods])
})
