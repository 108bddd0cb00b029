import type { FieldFault } from '../failure.ts'
import { fieldOf, isObject, jsonEqual, type JsonObject } from '../patch/json.ts'
import { invalidValue, requiredValue, tooLong, tooMany, unsupportedValue, wrongType } from './fault.ts'
import { hasFormat } from './formats.ts'
import { oldItems } from './list-types.ts'
import type { Limits, SchemaNode } from './node.ts'

/** The place of faults that the real server cannot place. */
export const nowhere = '<nil>'

/** A value, and what it was before if it is an update and that can be found: in lists only by their keys. */
export interface Checked {
  readonly value: unknown
  readonly path: string
  readonly old: { readonly value: unknown } | undefined
}

/**
 * All that is wrong with a value by its schema. What is wrong but was so before the update is let through: the real
 * server calls it ratcheting, so that a stricter schema does not lock objects that are already there.
 */
export function validateValue(node: SchemaNode, checked: Checked): FieldFault[] {
  const { old, value } = checked
  // Shared with the old object, as the spec is when its status changes: no need to look.
  if (old !== undefined && value === old.value) return []
  const faults = [...ownFaults(node, checked), ...childFaults(node, checked)]
  return faults.length > 0 && old !== undefined && jsonEqual(value, old.value) ? [] : faults
}

function ownFaults(node: SchemaNode, { value, path }: Checked): FieldFault[] {
  const faults = typeFaults(node, value, path)
  if (node.combinations !== undefined && value !== null) faults.push(...combinationFaults(node, value, path))
  if (typeof value === 'string') faults.push(...stringFaults(node, value, path))
  else if (typeof value === 'number') faults.push(...numberFaults(node, value, path))
  else if (Array.isArray(value)) faults.push(...listFaults(node.limits, value.length, path))
  const { enum: allowed } = node.limits
  if (allowed !== undefined && !allowed.some((one) => jsonEqual(one, value))) {
    faults.push(unsupportedValue(path, value, allowed))
  }
  if (isObject(value)) faults.push(...objectFaults(node, value, path))
  return faults
}

function childFaults(node: SchemaNode, { value, path, old }: Checked): FieldFault[] {
  if (Array.isArray(value)) return itemFaults(node, value, { path, old })
  if (!isObject(value)) return []
  const faults: FieldFault[] = []
  const oldObject = old !== undefined && isObject(old.value) ? old.value : undefined
  for (const [name, field] of Object.entries(value)) {
    const property = node.properties.get(name) ?? node.additionalProperties
    if (property === undefined || property === true) continue
    const isTypeMeta = path === '' && (name === 'apiVersion' || name === 'kind')
    const before =
      oldObject !== undefined && !isTypeMeta && Object.hasOwn(oldObject, name) ? { value: oldObject[name] } : undefined
    faults.push(...validateValue(property, { value: field, path: childPath(path, name), old: before }))
  }
  return faults
}

function itemFaults(node: SchemaNode, list: readonly unknown[], { path, old }: Omit<Checked, 'value'>): FieldFault[] {
  const { items } = node
  if (items === undefined) return []
  const before = oldItems(node, old?.value)
  return list.flatMap((value, index) => validateValue(items, { value, path: `${path}[${index}]`, old: before(value) }))
}

function typeFaults({ types, format, nullable }: SchemaNode, value: unknown, path: string): FieldFault[] {
  if (types.length === 0) return []
  const found = typeOf(value)
  if (found === 'null') return nullable ? [] : [typeFault(path, types.join(','), found)]
  const isMatching = types.includes(found) || (found === 'integer' && types.includes('number'))
  if (isMatching) return []
  // The real server names the format in place of the type where a number has the wrong one.
  if (format !== undefined && typeof value !== 'string' && !Array.isArray(value)) {
    return [typeFault(path, format, found === 'number' ? 'float64' : found === 'integer' ? 'int64' : '')]
  }
  const isFormattedText = format !== undefined && !types.includes('number') && !types.includes('integer')
  return isFormattedText ? [] : [typeFault(path, types.join(','), found)]
}

function typeFault(path: string, wanted: string, found: string): FieldFault {
  return wrongType(path, found, `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

function stringFaults({ limits, format }: SchemaNode, value: string, path: string): FieldFault[] {
  const faults: FieldFault[] = []
  const { minLength, maxLength, pattern } = limits
  const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value)
  if (maxLength !== undefined && length > maxLength) faults.push(tooLong(path, maxLength))
  else if (minLength !== undefined && length < minLength) {
    faults.push(invalidValue(path, value, `${path} in body should be at least ${minLength} chars long`))
  } else if (pattern !== undefined && !pattern.compiled.matches(value)) {
    faults.push(invalidValue(path, value, `${path} in body should match '${pattern.source}'`))
  }
  if (format !== undefined && !hasFormat(value, format)) {
    faults.push(wrongType(path, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`))
  }
  return faults
}

function numberFaults({ types, format, limits }: SchemaNode, value: number, path: string): FieldFault[] {
  const faults: FieldFault[] = []
  const [type, ...more] = types
  if (type === 'integer' && more.length === 0 && !isInRange(value, format)) {
    const wanted = format === undefined ? '(default format)' : `with format ${format}`
    faults.push(invalidValue(nowhere, '', `Checked value must be of type integer ${wanted} in ${path}`))
  }
  const { minimum, maximum, multipleOf, exclusiveMinimum, exclusiveMaximum } = limits
  const refuse = (words: string) => faults.push(invalidValue(path, value, `${path} in body should be ${words}`))
  if (multipleOf !== undefined && multipleOf > 0 && !Number.isInteger(value / multipleOf))
    refuse(`a multiple of ${multipleOf}`)
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    refuse(`greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)
  }
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    refuse(`less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)
  }
  return faults
}

function isInRange(value: number, format: string | undefined): boolean {
  const bits = format === 'int32' ? 31 : 63
  return Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits
}

function listFaults({ minItems, maxItems }: Limits, count: number, path: string): FieldFault[] {
  if (minItems !== undefined && count < minItems) {
    return [invalidValue(path, count, `${path} in body should have at least ${minItems} items`)]
  }
  return maxItems !== undefined && count > maxItems ? [tooMany(path, count, maxItems)] : []
}

function objectFaults({ limits, required }: SchemaNode, value: JsonObject, path: string): FieldFault[] {
  const count = Object.keys(value).length
  const { minProperties, maxProperties } = limits
  const faults: FieldFault[] = []
  if (minProperties !== undefined && count < minProperties) {
    faults.push(invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`))
  }
  if (maxProperties !== undefined && count > maxProperties) faults.push(tooMany(path, count, maxProperties))
  for (const name of required) if (fieldOf(value, name) === undefined) faults.push(requiredValue(childPath(path, name)))
  return faults
}

function combinationFaults({ combinations }: SchemaNode, value: unknown, path: string): FieldFault[] {
  if (combinations === undefined) return []
  const { allOf, anyOf, oneOf, not } = combinations
  const faultsBy = (schema: SchemaNode) => validateValue(schema, { value, path, old: undefined })
  const countValid = (schemas: readonly SchemaNode[]) => schemas.filter((one) => faultsBy(one).length === 0).length
  const faults: FieldFault[] = []
  const refuse = (words: string) => faults.push(invalidValue(nowhere, '', `${JSON.stringify(path)} must ${words}`))
  if (anyOf.length > 0 && countValid(anyOf) === 0) refuse('validate at least one schema (anyOf)')
  const oneOfValid = countValid(oneOf)
  if (oneOf.length > 0 && oneOfValid !== 1) {
    const found = oneOfValid === 0 ? 'Found none valid' : `Found ${oneOfValid} valid alternatives`
    refuse(`validate one and only one schema (oneOf). ${found}`)
  }
  const allOfValid = countValid(allOf)
  if (allOfValid < allOf.length) {
    faults.push(...allOf.flatMap(faultsBy))
    refuse(`validate all the schemas (allOf)${allOfValid === 0 ? '. None validated' : ''}`)
  }
  if (not !== undefined && faultsBy(not).length === 0) refuse('not validate the schema (not)')
  return faults
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

/** Lengths are in characters, not in the units of this language. */
function codePoints(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= 0xd800 && unit < 0xdc00) count--
  }
  return count
}
