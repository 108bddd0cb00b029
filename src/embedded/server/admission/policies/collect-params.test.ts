import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { kindOf } from '../../../../../test/build/admission-request.ts'
import { Definitions } from '../../definitions.ts'
import { allKinds } from '../../kinds/all-kinds.ts'
import { Store } from '../../store.ts'
import { collectParams, findParamKind } from './collect-params.ts'
import type { ParamRef } from './policy.ts'

const store = new Store()
store.put('configmaps', 'shop/limits', {
  metadata: storedMeta({ name: 'limits', namespace: 'shop', labels: { use: 'limits' } }),
})
store.put('configmaps', 'other/limits', {
  metadata: storedMeta({ name: 'limits', namespace: 'other', labels: { use: 'limits' } }),
})
const parts = { store, definitions: new Definitions(allKinds) }

const namesOf = (
  reference: ParamRef | undefined,
  plural = 'configmaps',
  { namespace }: { namespace?: string } = { namespace: 'shop' },
) => {
  const found = collectParams(kindOf(plural), reference, namespace, parts)
  if (found.kind === 'misconfigured') return found.message
  return found.params.map((param) => param && `${param.metadata.namespace}/${param.metadata.name}`)
}

test.each<[string, ParamRef | undefined, unknown]>([
  ['none', undefined, [undefined]],
  ['by name, where the request is', { name: 'limits' }, ['shop/limits']],
  ['by name, elsewhere', { name: 'limits', namespace: 'other' }, ['other/limits']],
  ['by selector', { selector: { matchLabels: { use: 'limits' } } }, ['shop/limits']],
  ['missing, which is fine', { name: 'gone', parameterNotFoundAction: 'Allow' }, []],
  [
    'missing, which is not',
    { name: 'gone', parameterNotFoundAction: 'Deny' },
    'no params found for policy binding with `Deny` parameterNotFoundAction',
  ],
])('%s', (_name, reference, expected) => {
  expect(namesOf(reference)).toEqual(expected)
})

test('what is in no namespace needs one named, and a cluster-wide kind none', () => {
  expect(namesOf({ name: 'limits' }, 'configmaps', {})).toMatch(/^cannot use namespaced paramRef/)
  expect(namesOf({ name: 'one', namespace: 'shop' }, 'nodes')).toMatch(/must not be provided for a cluster-scoped/)
})

test('kinds are found by version and kind', () => {
  expect(findParamKind({ apiVersion: 'apps/v1', kind: 'Deployment' }, parts)?.plural).toBe('deployments')
  expect(findParamKind({ apiVersion: 'v1', kind: 'Deployment' }, parts)).toBeUndefined()
})
