import { expect, test } from 'vitest'
import { buildPolicies } from './policies.ts'

test.each([
  { options: {}, expected: ['lifeboat-evacuator-annotations', 'lifeboat-evict-policy'] },
  { options: { podEvictPolicy: false }, expected: ['lifeboat-evacuator-annotations'] },
])('$options', ({ options, expected }) => {
  const objects = buildPolicies(options).map(({ kind, metadata }) => `${kind} ${metadata.name}`)
  expect(objects).toEqual(
    expected.flatMap((name) => [`ValidatingAdmissionPolicy ${name}`, `ValidatingAdmissionPolicyBinding ${name}`]),
  )
})
