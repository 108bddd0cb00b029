import { expect, test } from 'vitest'
import { buildEviction } from './build-eviction.ts'

const pod = { namespace: 'shop', name: 'cart', uid: 'u1' }
const metadata = { namespace: 'shop', name: 'cart' }
const preconditions = { uid: 'u1' }

test.each([
  { name: 'names the pod and its UID', options: {}, expected: { metadata, deleteOptions: { preconditions } } },
  {
    name: 'says that nothing is to happen',
    options: { dryRun: true },
    expected: { metadata, deleteOptions: { preconditions, dryRun: ['All'] } },
  },
  {
    name: 'gives another time to end',
    options: { gracePeriodSeconds: 0 },
    expected: { metadata, deleteOptions: { preconditions, gracePeriodSeconds: 0 } },
  },
  {
    name: 'carries annotations',
    options: { annotations: { a: 'b' } },
    expected: { metadata: { ...metadata, annotations: { a: 'b' } }, deleteOptions: { preconditions } },
  },
])('an eviction $name', ({ options, expected }) =>
  expect(buildEviction(pod, options)).toEqual({ apiVersion: 'policy/v1', kind: 'Eviction', ...expected }),
)
