import { expect, test } from 'vitest'
import { storedMeta } from '../../../../../test/build/stored.ts'
import { buildAdmissionRequest } from '../../../../../test/build/admission-request.ts'
import { allowEverything } from '../../authorization.ts'
import { Definitions } from '../../definitions.ts'
import { allKinds } from '../../kinds/all-kinds.ts'
import { Store } from '../../store.ts'
import { applicationsOf, readBinding, type Binding } from './applications.ts'
import type { AnyPolicySpec, BindingSpec } from './policy.ts'

const store = new Store()
store.put('namespaces', 'shop', { metadata: storedMeta({ name: 'shop' }) })
for (const name of ['one', 'two']) {
  const labels = { use: 'limits' }
  store.put('configmaps', `shop/${name}`, { metadata: storedMeta({ name, namespace: 'shop', labels }), data: { name } })
}
const parts = { store, definitions: new Definitions(allKinds), authorizer: allowEverything }

const rules = (resources: string) => [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [resources] },
]
const onMaps = { matchConstraints: { resourceRules: rules('configmaps') } }
const withParams = { ...onMaps, paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }
const binding = (spec: BindingSpec = {}, name = 'b'): Binding => ({ name, spec: { policyName: 'p', ...spec } })

function told(spec: AnyPolicySpec, bindings: readonly Binding[]): string[] {
  return applicationsOf(spec, bindings, buildAdmissionRequest(), parts).map((each) => {
    if (each.kind === 'misconfigured') return `${each.binding?.name ?? 'policy'}: ${each.message}`
    const params = each.input['params']?.() as { data?: { name: string } } | null
    return `${each.binding.name} ${params?.data?.name ?? 'no params'}`
  })
}

test.each<[string, AnyPolicySpec, readonly Binding[], readonly string[]]>([
  ['once for each binding', onMaps, [binding({}, 'a'), binding({}, 'b')], ['a no params', 'b no params']],
  ['not without a binding', onMaps, [], []],
  ['not on other resources', { matchConstraints: { resourceRules: rules('pods') } }, [binding()], []],
  [
    'not on what is excluded',
    { matchConstraints: { resourceRules: rules('*'), excludeResourceRules: rules('configmaps') } },
    [binding()],
    [],
  ],
  [
    'not where a binding matches less',
    onMaps,
    [binding({ matchResources: { resourceRules: rules('pods') } }, 'a'), binding()],
    ['b no params'],
  ],
  [
    'once for each parameter',
    withParams,
    [binding({ paramRef: { selector: { matchLabels: { use: 'limits' } }, parameterNotFoundAction: 'Deny' } })],
    ['b one', 'b two'],
  ],
  [
    'a binding whose parameter is missing',
    withParams,
    [binding({ paramRef: { name: 'gone', parameterNotFoundAction: 'Deny' } })],
    ['b: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction'],
  ],
  [
    'parameters of a kind that is not known',
    { ...onMaps, paramKind: { apiVersion: 'v7', kind: 'Nothing' } },
    [binding()],
    [`policy: failed to configure policy: failed to find resource referenced by paramKind: 'v7, Kind=Nothing'`],
  ],
])('%s', (_name, spec, bindings, expected) => {
  expect(told(spec, bindings)).toEqual(expected)
})

test('expressions see the namespace of the request', () => {
  const [first] = applicationsOf(onMaps, [binding()], buildAdmissionRequest(), parts)
  expect(first?.kind === 'applies' && first.input['namespaceObject']?.()).toMatchObject({ metadata: { name: 'shop' } })
})

test('a binding without a spec binds nothing', () => {
  expect(readBinding({ metadata: storedMeta({ name: 'b' }) })).toEqual({ name: 'b', spec: {} })
})
