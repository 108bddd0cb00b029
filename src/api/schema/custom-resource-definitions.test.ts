import { describe, expect, test } from 'vitest'
import { customResourceDefinitions } from './custom-resource-definitions.ts'
import type { StructuralSchema } from './structural-schema.ts'
import { playRow } from '../../../test/real/definition-row.ts'
import { evacuationRows, maintenanceRows } from '../../../test/real/definitions-table.ts'
import { validateEvacuation } from './validate-evacuation.ts'
import { validateNodeMaintenance } from './validate-node-maintenance.ts'

interface Node {
  type?: string
  description?: string
  enum?: unknown[]
  format?: string
  maxLength?: number
  maxItems?: number
  maximum?: number
  maxProperties?: number
  properties?: Record<string, Node>
  additionalProperties?: Node
  items?: Node
  'x-kubernetes-validations'?: { message: string }[]
}

function* walk(node: Node, path: string): Generator<{ node: Node; path: string }> {
  yield { node, path }
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    // The API server brings the schema of metadata itself.
    if (path !== '' || name !== 'metadata') yield* walk(property, `${path}.${name}`)
  }
  if (node.items) yield* walk(node.items, `${path}[]`)
  if (node.additionalProperties) yield* walk(node.additionalProperties, `${path}{}`)
}

const nodesOf = (schema: StructuralSchema) => [...walk(schema, '')]
const schemas = customResourceDefinitions().map(({ metadata, spec }) => ({
  name: metadata.name,
  nodes: spec.versions.flatMap((version) => nodesOf(version.schema.openAPIV3Schema)),
}))

describe.each(schemas)('$name', ({ nodes }) => {
  test('describes every field, for kubectl explain', () => {
    const bare = nodes.filter(({ node }) => !/^[A-Z].*\.$/s.test(node.description ?? ''))
    expect(bare.map(({ path }) => path)).toEqual([])
  })

  test('bounds every field, so that the cost of a rule is bounded', () => {
    const unbounded = nodes.filter(({ node }) => {
      if (node.enum !== undefined || node.format === 'date-time' || node.format === 'int64') return false
      if (node.type === 'string') return node.maxLength === undefined
      if (node.type === 'array') return node.maxItems === undefined
      if (node.type === 'integer') return node.maximum === undefined
      return node.additionalProperties !== undefined && node.maxProperties === undefined
    })
    expect(unbounded.map(({ path }) => path)).toEqual([])
  })
})

test('every rule is broken by some row of the table that the API server is held to', () => {
  const rules = schemas.flatMap(({ nodes }) => nodes.flatMap(({ node }) => node['x-kubernetes-validations'] ?? []))
  const broken = [
    ...evacuationRows.flatMap((row) => playRow(row, validateEvacuation)),
    ...maintenanceRows.flatMap((row) => playRow(row, validateNodeMaintenance)),
  ]
  const seen = new Set(broken.map(({ allowed }) => allowed))
  expect(rules.length).toBeGreaterThan(15)
  expect(rules.map(({ message }) => message).filter((message) => !seen.has(message))).toEqual([])
})

test('the names are those of the design', () => {
  expect(customResourceDefinitions().map(({ metadata }) => metadata.name)).toEqual([
    'evacuations.evacuation.coordination.k8s.io',
    'nodemaintenances.nodemaintenance.k8s.io',
  ])
})
