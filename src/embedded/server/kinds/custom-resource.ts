import type { ColumnDefinition, ResourceDefinition, SubresourceDefinition } from '../definition.ts'
import type { FieldFault } from '../failure.ts'
import { compileSchema, type CompiledSchema } from '../schema/compile-schema.ts'
import type { AnyObject } from '../store.ts'
import { readDefinition, type ColumnSource, type DefinitionSource, type VersionSource } from './definition-source.ts'
import { ageOf } from './human-duration.ts'
import { compileJsonPath } from './json-path.ts'
import { scaleFaults } from './scale-paths.ts'

/**
 * The kinds that a CustomResourceDefinition brings, one for each version that is served. All versions show the same
 * stored object: the only conversion is None, which changes the apiVersion and nothing else.
 */
export function customResources(definition: AnyObject): ResourceDefinition[] {
  const source = readDefinition(definition)
  const isTerminating = definition.metadata.deletionTimestamp !== undefined
  const served = source.versions.filter((version) => version.served)
  return served.map((version) => customResource(source, version, isTerminating))
}

function customResource(source: DefinitionSource, version: VersionSource, isTerminating: boolean): ResourceDefinition {
  const { group, names, scope } = source
  const schema = compileSchema(version.schema)
  const hasStatus = version.subresources.status
  return {
    ...(isTerminating ? { isTerminating } : {}),
    group,
    plural: names.plural,
    version: version.name,
    kind: names.kind,
    singular: names.singular,
    shortNames: names.shortNames,
    categories: names.categories,
    namespaced: scope === 'Namespaced',
    subresources: subresourcesOf(source, version),
    countsGenerations: true,
    mayUpdateUnconditionally: false,
    selectableFields: Object.fromEntries(
      version.selectableFields.map((path) => [path.replace(/^\./, ''), textAt(path)]),
    ),
    columns: version.columns.map(columnOf),
    prune: (object) => schema.prune(object) as AnyObject,
    fillDefaults: (object) => schema.fillDefaults(object) as AnyObject,
    ...(hasStatus ? { prepareForCreate: (object: AnyObject) => withoutStatus(object, schema) } : {}),
    validate: (object, old) => validate(object, old, { schema, version }),
  }
}

function subresourcesOf({ group, names }: DefinitionSource, { name, subresources }: VersionSource) {
  const verbs = ['get', 'patch', 'update']
  const status: SubresourceDefinition = { name: 'status', group, version: name, kind: names.kind, verbs }
  const scale: SubresourceDefinition = { name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs }
  return [...(subresources.status ? [status] : []), ...(subresources.scale === undefined ? [] : [scale])]
}

/** A client cannot create a status; what has a default is there all the same. */
function withoutStatus(object: AnyObject, schema: CompiledSchema): AnyObject {
  const { status: _, ...rest } = object
  return schema.fillDefaults(rest) as AnyObject
}

function validate(
  object: AnyObject,
  old: AnyObject | undefined,
  { schema, version }: { schema: CompiledSchema; version: VersionSource },
): FieldFault[] {
  const faults = [...schema.validate(object, old), ...scaleFaults(object, version.subresources.scale)]
  const isStatusApart = version.subresources.status && old !== undefined
  return isStatusApart ? faults.map(seenFromStatus) : faults
}

/**
 * Once an object is there its status changes by its subresource only, and the real server checks it by the schema of
 * the status alone: the field in front of "in body" is seen from there.
 */
function seenFromStatus(fault: FieldFault): FieldFault {
  const { field, message } = fault
  // A number out of range has no field of its own, and is said to be below the status.
  const outOfRange = / in status\.(\S+)$/.exec(message)
  if (field === '<nil>' && outOfRange !== null) {
    return { ...fault, field: 'status', message: message.replace(outOfRange[0], () => ` in ${outOfRange[1]}`) }
  }
  if (field !== 'status' && !field.startsWith('status.')) return fault
  return { ...fault, message: message.replace(`${field} in body`, () => `${field.slice('status.'.length)} in body`) }
}

/** Go's words for a value: what a field selector is compared with. */
function textAt(path: string): (object: AnyObject) => string {
  const read = compileJsonPath(path)
  return (object) => {
    const value = read?.(object)[0] ?? ''
    return typeof value === 'string' ? value : JSON.stringify(value)
  }
}

function columnOf({ name, type, format, description, priority, jsonPath }: ColumnSource): ColumnDefinition {
  const read = compileJsonPath(jsonPath)
  return {
    name,
    type,
    ...(format === undefined ? {} : { format }),
    description: description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
    priority,
    cell: (object, nowMs) => cellOf(type, read?.(object)[0], nowMs),
  }
}

/** Null where the value is missing or of another type than the column. */
function cellOf(columnType: ColumnDefinition['type'], value: unknown, nowMs: number): string | number | boolean | null {
  if (value === undefined || value === null) return null
  switch (columnType) {
    case 'string':
      return typeof value === 'string' ? value : JSON.stringify(value)
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'date':
      return typeof value === 'string' ? ageOf(value, nowMs) : null
    default:
      return columnType satisfies never
  }
}
