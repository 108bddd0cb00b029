import { join } from 'node:path'
import { expect, test } from 'vitest'
import { customResourceDefinitions } from '../src/api/schema/custom-resource-definitions.ts'
import { generateApiReference } from './generate-api-reference.ts'
import { driftedFiles } from './generated-file.ts'

const [reference] = generateApiReference('')
const lines = reference?.content.split('\n') ?? []

test('docs/api.md is what src says', async () => {
  expect(await driftedFiles(generateApiReference(join(import.meta.dirname, '..', 'docs')))).toEqual([])
})

test('every field of a schema is there, with what it is for', () => {
  const fields = customResourceDefinitions().flatMap(({ spec }) =>
    spec.versions.flatMap(({ schema }) => Array.from(describedFields(schema.openAPIV3Schema))),
  )
  expect(fields.length).toBeGreaterThan(50)
  for (const { name, description } of fields) {
    expect(lines.some((line) => line.includes(`${name}\``) && line.includes(description))).toBe(true)
  }
})

test.each([
  {
    name: 'a default',
    line: /`spec\.stage`\*\* \(string, default `Idle`, one of `Idle` `Cordon` `Drain` `Complete`\)/,
  },
  { name: 'that it must be given', line: /`spec\.podRef\.uid`\*\* \(string, required/ },
  { name: 'a range', line: /`spec\.progressDeadlineSeconds`\*\* \(integer, default `1800`, 600 to 21600\)/ },
  { name: 'a rule', line: /`spec\.stage`.* Rule: / },
  { name: 'a time', line: /`status\.evacuationProgressTimestamp`\*\* \(time\)/ },
])('a field says $name', ({ line }) => {
  expect(lines.filter((text) => line.test(text))).toHaveLength(1)
})

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}

function* describedFields(schema: Schema): Iterable<{ name: string; description: string }> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (name === 'metadata' || name === 'apiVersion' || name === 'kind') continue
    if (name !== 'spec' && name !== 'status') yield { name, description: field.description ?? 'no description' }
    yield* describedFields(field)
    if (field.items !== undefined) yield* describedFields(field.items)
  }
}
