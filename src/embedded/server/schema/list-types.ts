import type { FieldFault } from '../failure.ts'
import { fieldOf, isObject, type JsonObject } from '../patch/json.ts'
import { duplicateValue, goJson, invalidValue } from './fault.ts'
import type { SchemaNode } from './node.ts'

/** Entries of sets and maps that are there twice. */
export function duplicateFaults(node: SchemaNode, value: unknown, path = ''): FieldFault[] {
  if (Array.isArray(value)) return [...ownDuplicates(node, value, path), ...itemDuplicates(node, value, path)]
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const property = node.properties.get(name)
    if (property !== undefined) return duplicateFaults(property, field, path === '' ? name : `${path}.${name}`)
    const additional = node.additionalProperties
    if (additional === undefined || additional === true) return []
    return duplicateFaults(additional, field, `${path}[${name}]`)
  })
}

/** Finds what an item of a list with keys was before the update. Other lists say nothing about their items. */
export function oldItems(node: SchemaNode, oldList: unknown): (item: unknown) => { value: unknown } | undefined {
  if (node.listType !== 'map' || !Array.isArray(oldList)) return () => undefined
  const byIdentity = new Map(oldList.map((value: unknown) => [identityOf(node, value), { value }]))
  return (item) => (isObject(item) ? byIdentity.get(identityOf(node, item)) : undefined)
}

/** What tells the entries of a list apart. */
export function identityOf(node: SchemaNode, item: unknown): string {
  if (node.listType !== 'map') return goJson(item)
  const [key, ...more] = node.listMapKeys
  const only = key === undefined || more.length > 0 || !isObject(item) ? undefined : fieldOf(item, key)
  return typeof only === 'string' ? `"${only}` : goJson(keysOf(node, item))
}

function ownDuplicates(node: SchemaNode, list: readonly unknown[], path: string): FieldFault[] {
  if (node.listType !== 'map' && node.listType !== 'set') return []
  const stranger = node.listType === 'map' ? list.findIndex((item) => item !== null && !isObject(item)) : -1
  if (stranger >= 0) {
    const detail = 'must be an object for an array of list-type map'
    return [invalidValue(`${path}[${stranger}]`, list[stranger], detail)]
  }
  const counts = new Map<string, number>()
  return list.flatMap((item, index) => {
    const identity = identityOf(node, item)
    const count = (counts.get(identity) ?? 0) + 1
    counts.set(identity, count)
    // Only the second is named: the third is no news.
    return count === 2 ? [duplicateValue(`${path}[${index}]`, node.listType === 'map' ? keysOf(node, item) : item)] : []
  })
}

function itemDuplicates({ items }: SchemaNode, list: readonly unknown[], path: string): FieldFault[] {
  if (items === undefined) return []
  return list.flatMap((item, index) => duplicateFaults(items, item, `${path}[${index}]`))
}

function keysOf({ listMapKeys }: SchemaNode, item: unknown): JsonObject {
  if (!isObject(item)) return {}
  const keys = listMapKeys.filter((key) => Object.hasOwn(item, key))
  return Object.fromEntries(keys.map((key) => [key, fieldOf(item, key)]))
}
