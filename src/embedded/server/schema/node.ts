import { fieldOf, isObject, type JsonObject } from '../patch/json.ts'
import { compilePattern, type Pattern } from './pattern.ts'

/** A place of a structural schema, read once and made ready for use. */
export interface SchemaNode {
  /** Empty: any type. */
  readonly types: readonly string[]
  readonly nullable: boolean
  readonly format: string | undefined
  readonly intOrString: boolean
  readonly preserveUnknownFields: boolean
  readonly embeddedResource: boolean
  readonly hasDefault: boolean
  readonly default: unknown
  readonly properties: ReadonlyMap<string, SchemaNode>
  /** `true`: of any shape. */
  readonly additionalProperties: SchemaNode | true | undefined
  readonly items: SchemaNode | undefined
  readonly required: readonly string[]
  readonly limits: Limits
  readonly combinations: Combinations | undefined
  readonly listType: string | undefined
  readonly listMapKeys: readonly string[]
  readonly rules: readonly RuleSource[]
}

export interface Limits {
  readonly enum: readonly unknown[] | undefined
  readonly pattern: { readonly source: string; readonly compiled: Pattern } | undefined
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly exclusiveMaximum: boolean
  readonly multipleOf: number | undefined
  readonly minLength: number | undefined
  readonly maxLength: number | undefined
  readonly minItems: number | undefined
  readonly maxItems: number | undefined
  readonly minProperties: number | undefined
  readonly maxProperties: number | undefined
}

/** Value validations only: a structural schema says its shape outside of them. */
export interface Combinations {
  readonly allOf: readonly SchemaNode[]
  readonly anyOf: readonly SchemaNode[]
  readonly oneOf: readonly SchemaNode[]
  readonly not: SchemaNode | undefined
}

/** An entry of x-kubernetes-validations. */
export interface RuleSource {
  readonly rule: string
  readonly message: string
  readonly messageExpression: string
  readonly reason: string | undefined
  readonly fieldPath: string
  readonly optionalOldSelf: boolean
}

/** Something in a schema that this cluster cannot use. The path is within the schema. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  readonly path: string

  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

const stringFormats: ReadonlySet<string> = new Set(
  (
    'bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn ' +
    'hexcolor rgbcolor byte password date duration datetime k8sshortname k8slongname'
  ).split(' '),
)
const numberFormats: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
}

export function readSchema(schema: unknown, path = ''): SchemaNode {
  if (!isObject(schema)) throw new SchemaError(path, 'must be an object')
  const intOrString = schema['x-kubernetes-int-or-string'] === true
  const type = text(schema, 'type')
  const types = intOrString ? ['integer', 'string'] : type === undefined ? [] : [type]
  return {
    types,
    nullable: schema['nullable'] === true,
    format: knownFormat(types, text(schema, 'format')),
    intOrString,
    preserveUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource: schema['x-kubernetes-embedded-resource'] === true,
    hasDefault: (fieldOf(schema, 'default') ?? null) !== null,
    default: fieldOf(schema, 'default'),
    properties: readProperties(schema, path),
    additionalProperties: readAdditional(schema['additionalProperties'], `${path}.additionalProperties`),
    items: schema['items'] === undefined ? undefined : readSchema(schema['items'], `${path}.items`),
    required: texts(schema, 'required'),
    limits: readLimits(schema, path),
    combinations: readCombinations(schema, path),
    listType: text(schema, 'x-kubernetes-list-type'),
    listMapKeys: texts(schema, 'x-kubernetes-list-map-keys'),
    rules: readRules(schema['x-kubernetes-validations'], path),
  }
}

function readProperties(schema: JsonObject, path: string): Map<string, SchemaNode> {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  return new Map(
    Object.entries(properties).map(([name, property]) => [name, readSchema(property, `${path}.properties[${name}]`)]),
  )
}

function readAdditional(schema: unknown, path: string): SchemaNode | true | undefined {
  if (schema === undefined || schema === false) return undefined
  return schema === true ? true : readSchema(schema, path)
}

function readLimits(schema: JsonObject, path: string): Limits {
  return {
    enum: Array.isArray(schema['enum']) ? (schema['enum'] as unknown[]) : undefined,
    pattern: readPattern(text(schema, 'pattern'), path),
    minimum: number(schema, 'minimum'),
    maximum: number(schema, 'maximum'),
    exclusiveMinimum: schema['exclusiveMinimum'] === true,
    exclusiveMaximum: schema['exclusiveMaximum'] === true,
    multipleOf: number(schema, 'multipleOf'),
    minLength: number(schema, 'minLength'),
    maxLength: number(schema, 'maxLength'),
    minItems: number(schema, 'minItems'),
    maxItems: number(schema, 'maxItems'),
    minProperties: number(schema, 'minProperties'),
    maxProperties: number(schema, 'maxProperties'),
  }
}

function readPattern(source: string | undefined, path: string): Limits['pattern'] {
  if (source === undefined || source === '') return undefined
  try {
    return { source, compiled: compilePattern(source) }
  } catch (error) {
    throw new SchemaError(`${path}.pattern`, `must be a valid regular expression, but isn't: ${String(error)}`)
  }
}

function readCombinations(schema: JsonObject, path: string): Combinations | undefined {
  const all = (name: string) =>
    (Array.isArray(schema[name]) ? (schema[name] as unknown[]) : []).map((one, index) =>
      readSchema(one, `${path}.${name}[${index}]`),
    )
  const [allOf, anyOf, oneOf] = [all('allOf'), all('anyOf'), all('oneOf')]
  const not = schema['not'] === undefined ? undefined : readSchema(schema['not'], `${path}.not`)
  return allOf.length + anyOf.length + oneOf.length === 0 && not === undefined
    ? undefined
    : { allOf, anyOf, oneOf, not }
}

function readRules(rules: unknown, path: string): RuleSource[] {
  if (!Array.isArray(rules)) return []
  return rules.map((rule: unknown, index) => {
    if (!isObject(rule)) throw new SchemaError(`${path}.x-kubernetes-validations[${index}]`, 'must be an object')
    return {
      rule: text(rule, 'rule') ?? '',
      message: text(rule, 'message') ?? '',
      messageExpression: text(rule, 'messageExpression') ?? '',
      reason: text(rule, 'reason'),
      fieldPath: text(rule, 'fieldPath') ?? '',
      optionalOldSelf: rule['optionalOldSelf'] === true,
    }
  })
}

/** Formats that the real server does not know, or knows for other types, say nothing. */
function knownFormat(types: readonly string[], format: string | undefined): string | undefined {
  if (format === undefined) return undefined
  const [type = 'string', ...more] = types
  if (more.length > 0) return undefined
  if (type === 'string') return stringFormats.has(format.replaceAll('-', '')) ? format : undefined
  return numberFormats[type]?.includes(format) === true ? format : undefined
}

function text(object: JsonObject, name: string): string | undefined {
  const value = fieldOf(object, name)
  return typeof value === 'string' ? value : undefined
}

function number(object: JsonObject, name: string): number | undefined {
  const value = fieldOf(object, name)
  return typeof value === 'number' ? value : undefined
}

function texts(object: JsonObject, name: string): string[] {
  const value = fieldOf(object, name)
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
