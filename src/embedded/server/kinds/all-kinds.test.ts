import { expect, test } from 'vitest'
import { resourceId } from '../definition.ts'
import { allKinds } from './all-kinds.ts'

test('every kind is there once, and names mean one kind', () => {
  const ids = allKinds.map(resourceId)
  expect(new Set(ids).size).toBe(ids.length)
  const shortNames = allKinds.flatMap((kind) => kind.shortNames)
  expect(new Set(shortNames).size).toBe(shortNames.length)
})

test('the kinds that a drain needs are there', () => {
  const ids = new Set(allKinds.map(resourceId))
  for (const id of ['pods', 'nodes', 'deployments.apps', 'poddisruptionbudgets.policy', 'leases.coordination.k8s.io'])
    expect(ids).toContain(id)
})
