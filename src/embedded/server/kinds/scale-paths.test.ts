import { expect, test } from 'vitest'
import { readScale, scaleFaults, withReplicas } from './scale-paths.ts'

const paths = {
  specReplicasPath: '.spec.size',
  statusReplicasPath: '.status.size',
  labelSelectorPath: '.status.selector',
}
const object = { metadata: { name: 'a' }, spec: { size: 2, x: 1 }, status: { size: 1, selector: 'a=b' } }

test('reads and writes along the paths', () => {
  expect(readScale(object, paths)).toEqual({ specReplicas: 2, statusReplicas: 1, selector: 'a=b' })
  expect(readScale({ metadata: {} }, paths)).toEqual({ specReplicas: 0, statusReplicas: 0, selector: '' })
  expect(withReplicas(object, paths, 5)).toMatchObject({ spec: { size: 5, x: 1 }, status: { size: 1 } })
  expect(withReplicas({ metadata: {} }, paths, 5)).toEqual({ metadata: {}, spec: { size: 5 } })
})

test.each([
  [{ spec: { size: 0 } }, []],
  [{ spec: { size: -1 } }, ['Invalid value: -1: should be a non-negative integer']],
  [{ status: { size: 2 ** 31 } }, ['Invalid value: 2147483648: should be less than or equal to 2147483647']],
  [{ spec: { size: 'x' } }, ['Invalid value: 0: .spec.size accessor error: "x" is not a number']],
])('%j has the faults %j', (fields, expected) => {
  expect(scaleFaults({ metadata: {}, ...fields }, paths).map(({ message }) => message)).toEqual(expected)
  expect(scaleFaults({ metadata: {}, ...fields }, undefined)).toEqual([])
})
