import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import type { AnyObject } from '../../store.ts'
import { compileMutations } from './compile-mutations.ts'
import type { MutatingPolicySpec } from './policy.ts'

const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } })
const adding = (path: string, value: string) => patch(`[JSONPatch{op: 'add', path: '${path}', value: ${value}}]`)

function mutate(spec: MutatingPolicySpec, object: AnyObject = { metadata: { name: 'a' }, data: {} }) {
  return compileMutations({ metadata: storedMeta({ name: 'p' }), spec }).mutate(object, {})
}

test('each mutation sees what the one before made, and so do the variables', () => {
  const variables = [{ name: 'count', expression: 'string(size(object.data))' }]
  const mutations = [adding('/data/first', 'variables.count'), adding('/data/second', 'variables.count')]
  expect(mutate({ variables, mutations })).toEqual({
    object: { metadata: { name: 'a' }, data: { first: '0', second: '1' } },
    errors: [],
  })
})

test.each<[string, MutatingPolicySpec, readonly string[]]>([
  ['a condition that is false', { matchConditions: [{ name: 'no', expression: 'false' }] }, []],
  [
    'a condition that fails',
    { matchConditions: [{ name: 'no', expression: 'object.x == 1' }] },
    [`expression 'object.x == 1' resulted in error: no such key: x`],
  ],
  [
    'an expression that fails',
    { mutations: [patch('object.x')] },
    [`expression 'object.x' resulted in error: no such key: x`],
  ],
  [
    'a patch that does not apply',
    { mutations: [adding('/x/y', '1')] },
    ['JSON Patch: add operation does not apply: doc is missing path: "/x/y": missing value'],
  ],
  ['a test that does not hold', { mutations: [patch("[JSONPatch{op: 'test', path: '/data', value: 1}]")] }, []],
  [
    'a patch that leaves no object',
    { mutations: [patch("[JSONPatch{op: 'remove', path: '/metadata'}]")] },
    ['JSON Patch: the patched object has no metadata'],
  ],
  [
    'a field that a patch does not have',
    { mutations: [patch('[JSONPatch{oops: 1}]')] },
    [`compilation error: undefined field 'oops'`],
  ],
])('%s changes nothing', (_name, spec, errors) => {
  const object = { metadata: { name: 'a' }, data: {} }
  expect(mutate({ mutations: [adding('/data/x', "'1'")], ...spec }, object)).toEqual({ object, errors })
})

test('what fails does not keep the others from their work', () => {
  const { object, errors } = mutate({ mutations: [patch('object.x'), adding('/data/x', "'1'")] })
  expect(object).toMatchObject({ data: { x: '1' } })
  expect(errors).toHaveLength(1)
})
