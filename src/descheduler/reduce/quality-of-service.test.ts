import { expect, test } from 'vitest'
import type { Quantities } from '../../api/kubernetes/scheduling.ts'
import { storedMeta } from '../../../test/build/stored.ts'
import { qosClassOf } from './quality-of-service.ts'

const metadata = storedMeta({ namespace: 'shop' })
const container = (requests: Quantities, limits: Quantities) => ({ name: 'main', resources: { requests, limits } })
const full = { cpu: '1', memory: '1Gi' }

test.each([
  { name: 'nothing requested', containers: [{ name: 'main' }], expected: 'BestEffort' },
  { name: 'a request', containers: [container({ cpu: '1' }, {})], expected: 'Burstable' },
  { name: 'limits of both, and no other request', containers: [container({}, full)], expected: 'Guaranteed' },
  { name: 'requests as high as the limits', containers: [container({ cpu: '1000m' }, full)], expected: 'Guaranteed' },
  { name: 'a lower request', containers: [container({ cpu: '500m' }, full)], expected: 'Burstable' },
  { name: 'one of two without limits', containers: [container({}, full), { name: 'b' }], expected: 'Burstable' },
  { name: 'only a resource that does not count', containers: [container({ 'a/gpu': 1 }, {})], expected: 'BestEffort' },
])('$name: $expected', ({ containers, expected }) => {
  expect(qosClassOf({ metadata, spec: { containers } })).toBe(expected)
})

test('an init container counts, and the status has the last word', () => {
  const spec = { containers: [container({}, full)], initContainers: [{ name: 'init' }] }
  expect(qosClassOf({ metadata, spec })).toBe('Burstable')
  expect(qosClassOf({ metadata, spec, status: { qosClass: 'BestEffort' } })).toBe('BestEffort')
  expect(qosClassOf({ metadata, spec, status: { qosClass: 'New' } })).toBe('Burstable')
})
