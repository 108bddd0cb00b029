import { join } from 'node:path'
import {
  customResourceDefinitions,
  type CustomResourceDefinition,
} from '../src/api/schema/custom-resource-definitions.ts'
import { keepGenerated, type GeneratedFile } from './generated-file.ts'

// Writes docs/api.md from the definitions of our kinds; with --check only tells whether it is up to date.

interface Schema {
  readonly description?: string
  readonly type?: string
  readonly format?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly 'x-kubernetes-validations'?: readonly { readonly message: string }[]
}

const intro = `# API reference

<!-- Generated from src by \`make manifests\`: edit the descriptions there. -->

Every field of the two kinds, as \`kubectl explain\` shows them too. [concepts.md](concepts.md) says what they are for, [differences.md](differences.md) where they differ from the proposals.
`

export function generateApiReference(folder: string): GeneratedFile[] {
  return [
    {
      path: join(folder, 'api.md'),
      content: [intro, ...customResourceDefinitions().map(renderKind)].join('\n'),
    },
  ]
}

function renderKind({ spec }: Pick<CustomResourceDefinition, 'spec'>): string {
  const [version] = spec.versions
  if (version === undefined) throw new Error(`${spec.group} has no version`)
  const schema = version.schema.openAPIV3Schema as Schema
  const { kind, plural, shortNames } = spec.names as { kind: string; plural: string; shortNames: readonly string[] }
  const scope = spec.scope === 'Cluster' ? 'of the whole cluster' : 'in a namespace'
  const columns = version.additionalPrinterColumns.map(({ name, priority = 0 }) =>
    priority > 0 ? `${name} (wide)` : name,
  )
  const selectable = version.selectableFields.map(({ jsonPath }) => `\`${jsonPath.slice(1)}\``)
  return [
    `## ${kind}`,
    `\`apiVersion: ${spec.group}/${version.name}\`, ${scope}; \`kubectl get ${plural}\` or \`kubectl get ${shortNames.join()}\` shows ${columns.join(', ')}. \`--field-selector\` knows ${selectable.join(', ')}.`,
    schema.description ?? '',
    ...rulesOf(schema),
    ...['spec', 'status'].map((part) => `### ${part}\n\n${renderFields(schema.properties?.[part], part)}`),
  ]
    .filter((text) => text !== '')
    .join('\n\n')
    .concat('\n')
}

/** What it is, then each of its fields, depth first. */
function renderFields(schema: Schema | undefined, path: string): string {
  if (schema === undefined) return ''
  return [schema.description ?? '', ...rulesOf(schema), fieldsOf(schema, path).join('\n')]
    .filter((text) => text !== '')
    .join('\n\n')
}

function fieldsOf(schema: Schema, path: string): string[] {
  const lines: string[] = []
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const isRequired = schema.required?.includes(name) === true && field.default === undefined
    const place = `${path}.${name}`
    lines.push(renderField(place, field, isRequired), ...fieldsBelow(field, place))
  }
  return lines
}

function fieldsBelow(field: Schema, place: string): string[] {
  if (field.type === 'array' && field.items !== undefined) return fieldsOf(field.items, `${place}[]`)
  return fieldsOf(field, place)
}

function renderField(place: string, field: Schema, isRequired: boolean): string {
  const facts = [typeOf(field), ...(isRequired ? ['required'] : []), ...factsOf(field)]
  const rules = [...messagesOf(field), ...messagesOf(field.items)].map((message) => ` Rule: ${message}.`).join('')
  return `- **\`${place}\`** (${facts.join(', ')}): ${field.description ?? ''}${rules}`
}

function typeOf(field: Schema): string {
  if (field.type === 'array') return `list of ${field.items?.type ?? 'values'}s`
  if (field.additionalProperties !== undefined) return `map of ${field.additionalProperties.type ?? 'value'}s`
  return field.format === 'date-time' ? 'time' : (field.type ?? 'any')
}

function factsOf(field: Schema): string[] {
  const { minimum, maximum, maxLength, maxItems } = field
  const isPlain = typeof field.default === 'string' || typeof field.default === 'number' || field.default === false
  return [
    ...(isPlain && field.default !== '' ? [`default \`${String(field.default)}\``] : []),
    ...(field.enum === undefined ? [] : [`one of ${field.enum.map((value) => `\`${String(value)}\``).join(' ')}`]),
    ...(minimum === undefined || maximum === undefined || maximum - minimum >= 2 ** 31 - 1
      ? []
      : [`${minimum} to ${maximum}`]),
    ...(maxLength === undefined || field.enum !== undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems}`]),
  ]
}

function rulesOf(schema: Schema): string[] {
  const messages = messagesOf(schema)
  return messages.length === 0 ? [] : [messages.map((message) => `- Rule: ${message}.`).join('\n')]
}

function messagesOf(schema: Schema | undefined): string[] {
  return (schema?.['x-kubernetes-validations'] ?? []).map(({ message }) => message)
}

if (import.meta.main) {
  process.chdir(join(import.meta.dirname, '..'))
  await keepGenerated(generateApiReference('docs'), process.argv.includes('--check'))
}
