import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { AnyObject } from '../store.ts'
import { customResourceDefinitionResource, withEstablishedStatus } from './custom-resource-definition.ts'

const { fillDefaults, prepareForCreate, validate } = customResourceDefinitionResource
const version = (more: object = {}) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
})
const definition = (spec: object = {}, metadata: object = {}): AnyObject => ({
  metadata: { name: 'tests.example.com', ...metadata },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'tests', kind: 'Test' },
    versions: [version()],
    ...spec,
  },
})
const faultsOf = (object: AnyObject, old?: AnyObject) =>
  validate?.(object, old).map(({ field, message }) => `${field}: ${message}`)

test.each(['evacuations.evacuation.coordination.k8s.io', 'nodemaintenances.nodemaintenance.k8s.io'])(
  '%s is fine',
  (name) => {
    const path = join(import.meta.dirname, '../../../../deploy/crds', `${name}.yaml`)
    expect(faultsOf(parse(readFileSync(path, 'utf8')) as AnyObject)).toEqual([])
  },
)

describe('refuses', () => {
  const schema = (openAPIV3Schema: object) => ({ versions: [version({ schema: { openAPIV3Schema } })] })
  const at = 'spec.versions[0].schema.openAPIV3Schema'

  test.each<[string, AnyObject, string]>([
    [
      'another name',
      definition({}, { name: 'other' }),
      'metadata.name: Invalid value: "other": must be spec.names.plural+"."+spec.group',
    ],
    [
      'no version to store',
      definition({ versions: [version({ storage: false })] }),
      'spec.versions: Invalid value: must have exactly one version marked as storage version',
    ],
    [
      'a version twice',
      definition({ versions: [version(), version({ storage: false })] }),
      'spec.versions: Invalid value: must contain unique version names',
    ],
    [
      'an unknown scope',
      definition({ scope: 'Galaxy' }),
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    [
      'no schema',
      definition({ versions: [version({ schema: undefined })] }),
      `${at}: Required value: schemas are required`,
    ],
    ['a schema of no type', definition(schema({})), `${at}.type: Required value: must not be empty at the root`],
    [
      'a schema of a text',
      definition(schema({ type: 'string' })),
      `${at}.type: Invalid value: "string": must be object at the root`,
    ],
    [
      'a rule that is none',
      definition(schema({ type: 'object', 'x-kubernetes-validations': [{ rule: 'self +' }] })),
      `${at}.x-kubernetes-validations[0].rule: Invalid value: compilation failed: ERROR: <input>:1:1: Unexpected token: EOF`,
    ],
    [
      'a webhook for conversion',
      definition({ conversion: { strategy: 'Webhook' } }),
      'spec.conversion.strategy: Invalid value: "Webhook": the embedded cluster converts with None only',
    ],
    [
      'a column that cannot be read',
      definition({
        versions: [version({ additionalPrinterColumns: [{ name: 'X', type: 'string', jsonPath: '..x' }] })],
      }),
      'spec.versions[0].additionalPrinterColumns[0].jsonPath: Invalid value: "..x": the embedded cluster knows fields, indexes and filters by equality only',
    ],
  ])('%s', (_name, object, expected) => {
    expect(faultsOf(object)).toContain(expected)
  })

  test('a group of the community without approval', () => {
    const protectedGroup = { group: 'x.k8s.io' }
    const metadata = (approval?: string) => ({
      name: 'tests.x.k8s.io',
      annotations: approval === undefined ? {} : { 'api-approved.kubernetes.io': approval },
    })
    const faults = (approval?: string) => faultsOf(definition(protectedGroup, metadata(approval))) ?? []
    expect(faults()[0]).toMatch(
      /^metadata\.annotations\[api-approved\.kubernetes\.io\]: Required value: protected groups/,
    )
    expect(faults('yes')[0]).toContain('with either a URL or a reason starting with "unapproved"')
    expect(faults('unapproved, for tests')).toEqual([])
    expect(faults('https://example.com/approval')).toEqual([])
  })

  test('another group, scope or kind later', () => {
    const old = definition()
    expect(faultsOf(definition({ scope: 'Cluster' }), old)).toEqual([
      'spec.scope: Invalid value: "Cluster": field is immutable',
    ])
  })
})

test('names and conversion are filled in', () => {
  expect(fillDefaults?.(definition())).toMatchObject({
    spec: { names: { singular: 'test', listKind: 'TestList' }, conversion: { strategy: 'None' } },
  })
})

test('a new definition has a stored version and nothing else', () => {
  expect(prepareForCreate?.({ ...definition(), status: { conditions: [] } })['status']).toEqual({
    storedVersions: ['v1'],
  })
})

test('is established, and stays so since when it was', () => {
  const established = withEstablishedStatus(definition(), '2026-01-31T12:00:00Z')
  expect(established['status']).toMatchObject({
    acceptedNames: { plural: 'tests', singular: 'test', kind: 'Test', listKind: 'TestList' },
    storedVersions: ['v1'],
    conditions: [
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts' },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        lastTransitionTime: '2026-01-31T12:00:00Z',
      },
    ],
  })
  expect(withEstablishedStatus(established, '2026-02-01T00:00:00Z')).toEqual(established)
})
