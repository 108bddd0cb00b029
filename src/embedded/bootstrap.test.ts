import { expect, test } from 'vitest'
import { buildNode, firstObjects } from './bootstrap.ts'

test('namespaces come first, because others stand in them', () => {
  const resources = firstObjects().map(({ resource }) => resource)
  expect(resources.lastIndexOf('namespaces')).toBeLessThan(resources.indexOf('services'))
  expect(new Set(firstObjects().map(({ resource, object }) => `${resource} ${object.metadata.name}`)).size).toBe(
    resources.length,
  )
})

test('nodes are counted from one, and spread over three zones', () => {
  const zones = Array.from(
    { length: 6 },
    (_, at) => buildNode(at).object.metadata.labels?.['topology.kubernetes.io/zone'],
  )
  expect(buildNode(0).object.metadata.name).toBe('node-1')
  expect(new Set(zones).size).toBe(3)
  expect(zones.slice(0, 3)).toEqual(zones.slice(3))
})
