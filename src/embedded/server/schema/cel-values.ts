import { compileCel, toCelValue } from './cel.ts'
import { fieldOf, isObject, type JsonObject } from '../patch/json.ts'
import { identityOf } from './list-types.ts'
import type { SchemaNode } from './node.ts'

/**
 * A value as rules see it, typed by its schema: ints, times and durations. Of an old value the entries of sets and of
 * lists with keys are put in the order that they have in the new one, because there order does not count when such
 * lists are compared.
 */
export function typedValue(node: SchemaNode, value: unknown, counterpart?: unknown): unknown {
  if (value === null || value === undefined) return value
  if (Array.isArray(value)) return typedList(node, value, counterpart)
  if (isObject(value)) return typedObject(node, value, counterpart)
  if (typeof value === 'string') return typedText(node, value)
  if (typeof value !== 'number') return value
  return node.types.includes('number') && !node.types.includes('integer') ? value : toCelValue(value)
}

/** Rules at the root see no more of the metadata than the names. */
export function typedResource(node: SchemaNode, object: JsonObject, counterpart?: JsonObject): JsonObject {
  const typed = typedObject(node, object, counterpart)
  const metadata = isObject(object['metadata']) ? object['metadata'] : {}
  const names = ['name', 'generateName'].filter((name) => fieldOf(metadata, name) !== undefined)
  return {
    ...typed,
    ...Object.fromEntries(['apiVersion', 'kind'].map((name) => [name, fieldOf(object, name) ?? ''])),
    metadata: Object.fromEntries(names.map((name) => [name, metadata[name]])),
  }
}

function typedList(node: SchemaNode, list: readonly unknown[], counterpart: unknown): unknown[] {
  const { items } = node
  if (items === undefined) return list.map(toCelValue)
  const isUnordered = node.listType === 'map' || node.listType === 'set'
  if (!isUnordered || !Array.isArray(counterpart)) return list.map((item) => typedValue(items, item))
  const places = new Map(counterpart.map((item: unknown, at) => [identityOf(node, item), { item, at }]))
  return list
    .map((item) => ({ item, twin: places.get(identityOf(node, item)) }))
    .toSorted((one, other) => (one.twin?.at ?? Infinity) - (other.twin?.at ?? Infinity) || 0)
    .map(({ item, twin }) => typedValue(items, item, twin?.item))
}

function typedObject(node: SchemaNode, object: JsonObject, counterpart: unknown): JsonObject {
  const other = isObject(counterpart) ? counterpart : {}
  const typed: JsonObject = {}
  for (const [name, value] of Object.entries(object)) {
    const property = node.properties.get(name)
    const additional = node.additionalProperties
    if (property !== undefined) {
      const escaped = celName(name)
      if (escaped !== undefined) typed[escaped] = typedValue(property, value, fieldOf(other, name))
    } else if (name === '__proto__') continue
    else if (additional !== undefined && additional !== true) {
      typed[name] = typedValue(additional, value, fieldOf(other, name))
    } else if (additional === true || (node.preserveUnknownFields && node.properties.size === 0)) {
      typed[name] = toCelValue(value)
    }
  }
  return typed
}

const durationOf = compileCel('duration(text)', ['text'])

function typedText({ format, intOrString }: SchemaNode, text: string): unknown {
  if (format === undefined || intOrString) return text
  if (format === 'date-time' || format === 'datetime' || format === 'date') return new Date(text)
  if (format === 'byte') return new Uint8Array(Buffer.from(text, 'base64'))
  if (format !== 'duration') return text
  const outcome = durationOf.evaluate({ text })
  return outcome.kind === 'value' ? outcome.value : text
}

const reservedWords: ReadonlySet<string> = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
)

/** How rules write the name of a property. Undefined: they cannot. */
export function celName(property: string): string | undefined {
  if (reservedWords.has(property)) return `__${property}__`
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(property)) return undefined
  return property
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__')
}
