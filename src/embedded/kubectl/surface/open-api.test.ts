import { expect, test } from 'vitest'
import { storedMeta } from '../../../../test/build/stored.ts'
import { nodes } from '../../server/kinds/cluster-kinds.ts'
import { disruptionBudgets } from '../../server/kinds/disruption-budgets.ts'
import { pods } from '../../server/kinds/pods.ts'
import { openApiDocument, openApiIndex, schemaOfDefinition } from './open-api.ts'

const definitions = [pods, nodes, disruptionBudgets]

test('the index names a document for each version of each group, new after every change', () => {
  expect(openApiIndex(definitions, '42')).toEqual({
    paths: {
      'api/v1': { serverRelativeURL: '/openapi/v3/api/v1?hash=42' },
      'apis/policy/v1': { serverRelativeURL: '/openapi/v3/apis/policy/v1?hash=42' },
    },
  })
})

test('kubectl finds each kind by its paths and by its schema', () => {
  const document = openApiDocument(definitions, { group: 'policy', version: 'v1' }, () => undefined)
  const kind = { group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' }
  const path = '/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets'
  expect(document).toMatchObject({
    paths: {
      [path]: { get: { 'x-kubernetes-group-version-kind': kind } },
      [`${path}/{name}`]: {
        patch: {
          'x-kubernetes-group-version-kind': kind,
          parameters: expect.arrayContaining([expect.objectContaining({ name: 'fieldValidation', in: 'query' })]),
          requestBody: { content: { 'application/merge-patch+json': {} } },
        },
      },
    },
    components: { schemas: { 'policy.v1.PodDisruptionBudget': { 'x-kubernetes-group-version-kind': [kind] } } },
  })
})

test('strategic merge patches are not offered, so that kubectl takes its own merge keys', () => {
  const document = openApiDocument(definitions, { group: '', version: 'v1' }, () => undefined)
  expect(JSON.stringify(document)).not.toContain('strategic-merge-patch')
})

test('kinds without a namespace have no namespace in their paths', () => {
  expect(openApiDocument(definitions, { group: '', version: 'v1' }, () => undefined)).toMatchObject({
    paths: { '/api/v1/nodes/{name}': {}, '/api/v1/namespaces/{namespace}/pods/{name}': {} },
  })
})

test('the schema of a CRD is shown as it is written, with what all objects have', () => {
  const schema = {
    type: 'object',
    description: 'A boat.',
    properties: { spec: { type: 'object' } },
    required: ['spec'],
  }
  const crd = { metadata: storedMeta(), spec: { versions: [{ name: 'v1', schema: { openAPIV3Schema: schema } }] } }
  expect(schemaOfDefinition(crd, 'v1')).toBe(schema)
  expect(schemaOfDefinition(crd, 'v2')).toBeUndefined()
  expect(openApiDocument(definitions, { group: 'policy', version: 'v1' }, () => schema)).toMatchObject({
    components: {
      schemas: {
        'policy.v1.PodDisruptionBudget': {
          description: 'A boat.',
          required: ['spec'],
          properties: { spec: { type: 'object' }, kind: { type: 'string' }, metadata: {} },
        },
      },
    },
  })
})

test('there is no document for what is not served', () => {
  expect(openApiDocument(definitions, { group: 'policy', version: 'v9' }, () => undefined)).toBeUndefined()
})
