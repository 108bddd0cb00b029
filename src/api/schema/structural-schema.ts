import { rulesKeyword, rulesOf, type AnyRule } from './rule.ts'
import { allowedKeyword } from './schema.ts'

/** A schema as a CustomResourceDefinition may carry it. */
export type StructuralSchema = Readonly<Record<string, unknown>>

/** Keywords that mean the same in a TypeBox schema and in a structural one. */
const kept = [
  'description',
  'type',
  'format',
  'default',
  'enum',
  'nullable',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-int-or-string',
  'x-kubernetes-preserve-unknown-fields',
]

/** Keywords that are rewritten below, or of use on our side only. */
const rewritten = new Set([
  '$id',
  'const',
  'anyOf',
  'required',
  'properties',
  'patternProperties',
  'items',
  rulesKeyword,
  allowedKeyword,
])

type Node = Readonly<Record<string, unknown>>

/** Throws on a keyword that has no structural form: dropping one in silence would drop a promise. */
export function structuralSchema(schema: object): StructuralSchema {
  const node = flattenUnion(schema as Node)
  const stranger = Object.keys(node).find((key) => !kept.includes(key) && !rewritten.has(key))
  if (stranger !== undefined) throw new StructuralSchemaError(`a structural schema has no ${stranger}`)
  const result: Record<string, unknown> = {}
  for (const key of kept) if (node[key] !== undefined) result[key] = node[key]
  if (node.const !== undefined) result.enum = [node.const]
  if (result.enum !== undefined && result.type === undefined) result.type = typeOfValues(result.enum as unknown[])
  if (node.properties !== undefined) {
    const properties = node.properties as Readonly<Record<string, object>>
    const required = requiredWithoutDefault(properties, (node.required ?? []) as readonly string[])
    if (required.length > 0) result.required = required
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, structuralSchema(property)]),
    )
  }
  if (node.patternProperties !== undefined) {
    result.additionalProperties = structuralSchema(valuesOfRecord(node.patternProperties as Record<string, object>))
  }
  if (node.items !== undefined) result.items = structuralSchema(node.items as object)
  if (rulesOf(node).length > 0) result[rulesKeyword] = rulesOf(node).map(structuralRule)
  return result
}

export class StructuralSchemaError extends Error {
  override readonly name = 'StructuralSchemaError'
}

/** A property with a default is always there; to require it as well would refuse the `default: {}` of its parent. */
function requiredWithoutDefault(properties: Readonly<Record<string, object>>, required: readonly string[]): string[] {
  return required.filter((name) => !Object.hasOwn(properties[name] ?? {}, 'default'))
}

/** A union with null is a nullable schema, a union of constants is an enumeration; there is no other. */
function flattenUnion(node: Node): Node {
  if (node.anyOf === undefined) return node
  const { anyOf, ...rest } = node
  const members = anyOf as readonly Node[]
  const others = members.filter((member) => member.type !== 'null')
  const nullable = others.length < members.length ? { nullable: true } : {}
  const [only] = others
  if (only !== undefined && others.length === 1) return { ...only, ...rest, ...nullable }
  const constants = others.map((member) => member.const)
  if (constants.includes(undefined)) throw new StructuralSchemaError('a structural schema has no union of types')
  return { ...rest, ...nullable, enum: constants }
}

function typeOfValues(values: readonly unknown[]): string {
  const types = new Set(values.map((value) => typeof value))
  const [type] = types
  if (type === undefined || types.size > 1) throw new StructuralSchemaError('an enumeration has values of one type')
  return type
}

function valuesOfRecord(patternProperties: Record<string, object>): object {
  const [entry, ...more] = Object.entries(patternProperties)
  if (entry?.[0] !== '^.*$' || more.length > 0) {
    throw new StructuralSchemaError('a structural schema has no patternProperties')
  }
  return entry[1]
}

function structuralRule({ holds: _holds, ...rule }: AnyRule): object {
  return rule
}
