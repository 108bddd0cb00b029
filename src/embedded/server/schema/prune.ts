import { isObject, setField, type JsonObject } from '../patch/json.ts'
import type { SchemaNode } from './node.ts'

const metaFields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

/** Drops the fields that a schema does not know. What stays whole is shared with the original. */
export function pruneResource(object: JsonObject, root: SchemaNode): JsonObject {
  return prune(object, { ...root, embeddedResource: true }) as JsonObject
}

function prune(value: unknown, node: SchemaNode | undefined): unknown {
  if (Array.isArray(value)) return pruneList(value, node)
  return isObject(value) ? pruneObject(value, node) : value
}

function pruneList(list: readonly unknown[], node: SchemaNode | undefined): unknown {
  // Below a list whose unknown fields stay, the items are unknown fields too, unless the schema describes them.
  if (node?.preserveUnknownFields === true && node.items === undefined) return list
  const pruned = list.map((item) => prune(item, node?.items))
  return pruned.some((item, at) => item !== list[at]) ? pruned : list
}

function pruneObject(object: JsonObject, node: SchemaNode | undefined): JsonObject {
  const kept: JsonObject = {}
  let isChanged = false
  for (const [key, value] of Object.entries(object)) {
    const next = pruneField(key, value, node)
    if (next !== undefined) setField(kept, key, next)
    if (next !== value) isChanged = true
  }
  return isChanged ? kept : object
}

/** Undefined: the field goes. */
function pruneField(key: string, value: unknown, node: SchemaNode | undefined): unknown {
  if (node === undefined) return undefined
  if (node.embeddedResource && metaFields.has(key)) return value
  const property = node.properties.get(key)
  if (property !== undefined) return prune(value, property)
  if (node.additionalProperties === true) return value
  if (node.additionalProperties !== undefined) return prune(value, node.additionalProperties)
  return node.preserveUnknownFields ? value : undefined
}
