import type { TSchema } from 'typebox'
import type { TLocalizedValidationError } from 'typebox/error'
import Value from 'typebox/value'
import type { FieldProblem } from './field-problem.ts'
import { isTransitionRule, rulesOf, type AnyRule } from './rule.ts'
import { allowedKeyword } from './schema.ts'

/** The words of a schema that this file reads. */
interface SchemaNode {
  readonly type?: string
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly items?: SchemaNode
  readonly [allowedKeyword]?: string
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
}

/**
 * Everything that is wrong with a value by its schema, by the rules in it and by the list types, in that order: as in
 * the API server, rules only see values whose shape is right. With an old value it is an update.
 */
export function validateSchema(schema: TSchema, value: unknown, oldValue?: unknown): FieldProblem[] {
  const complete = Value.Default(schema, structuredClone(value))
  // To know that there is none takes far less than to look for all of them.
  const errors = Value.Check(schema, complete) ? [] : Value.Errors(schema, complete)
  const problems = errors.flatMap((error) => shapeProblems(schema, complete, error))
  if (problems.length > 0) return problems
  return ruleProblems(schema, {
    field: '',
    value: complete,
    oldValue: Value.Default(schema, structuredClone(oldValue)),
  })
}

function shapeProblems(schema: TSchema, root: unknown, error: TLocalizedValidationError): FieldProblem[] {
  const node = nodeAt(schema, error.schemaPath)
  const { field, value } = locate(root, error.instancePath)
  if (error.keyword === 'required') {
    return error.params.requiredProperties.map((name) => {
      const property = node.properties?.[name]
      return { field: join(field, name), value: undefined, allowed: property ? allowedBy(property) : 'a value' }
    })
  }
  return [{ field, value, allowed: allowedBy(node) }]
}

/** A schemaPath is a pointer into the schema: `#/properties/spec/properties/stage`. */
function nodeAt(schema: TSchema, schemaPath: string): SchemaNode {
  let node: unknown = schema
  for (const key of schemaPath.split('/').slice(1)) node = (node as Record<string, unknown>)[key]
  return node as SchemaNode
}

function locate(root: unknown, instancePath: string): { field: string; value: unknown } {
  let field = ''
  let value = root
  for (const escaped of instancePath.split('/').slice(1)) {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~')
    field = Array.isArray(value) ? `${field}[${key}]` : join(field, key)
    value = (value as Record<string, unknown>)[key]
  }
  return { field, value }
}

function join(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`
}

function allowedBy(node: SchemaNode): string {
  if (node[allowedKeyword] !== undefined) return `must be ${node[allowedKeyword]}`
  if (node.enum !== undefined) return `must be one of ${node.enum.join(', ')}`
  switch (node.type ?? 'object') {
    case 'integer':
      return node.minimum === undefined || node.maximum === undefined
        ? 'must be an integer'
        : `must be an integer from ${node.minimum} to ${node.maximum}`
    case 'string':
      if (node.format === 'date-time') return 'must be a time, such as 2026-01-31T12:00:00Z'
      return `must be a string${bounds(node.minLength, node.maxLength, 'characters')}`
    case 'array':
      return `must be a list${bounds(node.minItems, node.maxItems, 'entries')}`
    case 'boolean':
      return 'must be true or false'
    default:
      return `must be an object${bounds(undefined, node.maxProperties, 'keys')}`
  }
}

function bounds(minimum = 0, maximum: number | undefined, what: string): string {
  if (maximum === undefined) return minimum > 0 ? ` of at least ${minimum} ${what}` : ''
  return minimum > 0 ? ` of ${minimum} to ${maximum} ${what}` : ` of at most ${maximum} ${what}`
}

interface Place {
  readonly field: string
  readonly value: unknown
  readonly oldValue: unknown
}

function ruleProblems(node: SchemaNode, place: Place): FieldProblem[] {
  if (place.value === undefined) return []
  const problems = rulesOf(node).filter((rule) => isBroken(rule, place))
  return [
    ...problems.map((rule) => ruleProblem(rule, place)),
    ...Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
      ruleProblems(property, {
        field: join(place.field, name),
        value: memberOf(place.value, name),
        oldValue: memberOf(place.oldValue, name),
      }),
    ),
    ...(Array.isArray(place.value) ? listProblems(node, place.field, place.value) : []),
  ]
}

function isBroken(rule: AnyRule, { value, oldValue }: Place): boolean {
  if (isTransitionRule(rule) && oldValue === undefined) return false
  // The rule was declared beside a schema that this value fits, and brought its own view of the type.
  return !rule.holds(value as never, oldValue as never)
}

function ruleProblem(rule: AnyRule, place: Place): FieldProblem {
  const path = (rule.fieldPath ?? '').split('.').slice(1)
  return {
    field: path.reduce(join, place.field),
    value: path.reduce(memberOf, place.value),
    allowed: rule.message,
  }
}

/** Entries of a list are not paired with their old ones: none of our transition rules is inside a list. */
function listProblems(node: SchemaNode, field: string, list: readonly unknown[]): FieldProblem[] {
  const keys = node['x-kubernetes-list-map-keys'] ?? []
  const identity = (entry: unknown) =>
    node['x-kubernetes-list-type'] === 'map' ? keys.map((key) => memberOf(entry, key)) : entry
  const unique = node['x-kubernetes-list-type'] === 'map' || node['x-kubernetes-list-type'] === 'set'
  return list.flatMap((value, index) => {
    const problems = node.items
      ? ruleProblems(node.items, { field: `${field}[${index}]`, value, oldValue: undefined })
      : []
    const repeated = unique && list.slice(0, index).some((earlier) => Value.Equal(identity(earlier), identity(value)))
    const allowed =
      keys.length > 0 ? `must differ from the other entries in ${keys.join(', ')}` : 'must not be there twice'
    return repeated ? [...problems, { field: `${field}[${index}]`, value, allowed }] : problems
  })
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined
}
