import { fieldOf, isObject, setField, type JsonObject } from '../patch/json.ts'
import type { SchemaNode } from './node.ts'

/** Fills in what is left out and has a default. What stays whole is shared with the original. */
export function fillDefaults(value: unknown, node: SchemaNode): unknown {
  if (isObject(value)) return fillObject(value, node)
  const { items } = node
  if (!Array.isArray(value) || items === undefined) return value
  const filled = value.map((item: unknown) => {
    if (item !== null) return fillDefaults(item, items)
    return isMeaningless(items) && items.hasDefault ? fillDefaults(items.default, items) : item
  })
  return filled.some((item, at) => item !== value[at]) ? filled : value
}

function fillObject(object: JsonObject, node: SchemaNode): JsonObject {
  const changes: [string, unknown][] = []
  for (const [name, property] of node.properties) {
    const value = fieldOf(object, name)
    const next = fillField(value, property)
    if (next !== value) changes.push([name, next])
  }
  const additional = node.additionalProperties
  if (additional !== undefined && additional !== true) {
    for (const [name, value] of Object.entries(object)) {
      if (node.properties.has(name)) continue
      const next = fillField(value, additional)
      if (next !== value) changes.push([name, next])
    }
  }
  return changes.length === 0 ? object : withChanges(object, changes)
}

/** A null where none is allowed counts as left out. */
function fillField(value: unknown, node: SchemaNode): unknown {
  const isLeftOut = value === undefined || (value === null && isMeaningless(node))
  if (!isLeftOut) return fillDefaults(value, node)
  return node.hasDefault ? fillDefaults(node.default, node) : undefined
}

function isMeaningless(node: SchemaNode): boolean {
  return !node.nullable
}

function withChanges(object: JsonObject, changes: readonly [string, unknown][]): JsonObject {
  const filled = { ...object }
  for (const [name, value] of changes) {
    if (value === undefined) delete filled[name]
    else setField(filled, name, value)
  }
  return filled
}
