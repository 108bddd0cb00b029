import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { decideScale } from './decide-scale.ts'

test.each([
  { replicas: 1, expected: { kind: 'rescale', replicas: 2, why: 'Current number of replicas below Spec.MinReplicas' } },
  { replicas: 9, expected: { kind: 'rescale', replicas: 5, why: 'Current number of replicas above Spec.MaxReplicas' } },
  { replicas: 3, expected: { kind: 'fine' } },
  { replicas: 0, expected: { kind: 'disabled' } },
])('of $replicas between 2 and 5 it makes $expected', ({ replicas, expected }) => {
  expect(decideScale({ metadata: storedMeta(), spec: { minReplicas: 2, maxReplicas: 5 } }, replicas)).toEqual(expected)
})
