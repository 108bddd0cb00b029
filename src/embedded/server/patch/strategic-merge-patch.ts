import type { MergeKeys } from '../definition.ts'
import { badRequest } from '../failure.ts'
import {
  deleteFromList,
  directive,
  elementOrder,
  retainKeys,
  setOrDrop,
  unexpected,
  withoutDirectives,
} from './directives.ts'
import { fieldOf, isObject, setField, type JsonObject, goText } from './json.ts'
import { mergeLists, orderLike, overwritten, removeFromList } from './merge-lists.ts'
import { replacedWhole } from './merge-keys.ts'

/** Merges a patch as the types of the built-in kinds say. Neither argument is changed. */
export function strategicMergePatch(original: Readonly<JsonObject>, patch: Readonly<JsonObject>, keys: MergeKeys) {
  return mergeObject(original, patch, { path: '', keys })
}

interface Place {
  readonly path: string
  readonly keys: MergeKeys
}

function mergeObject(original: Readonly<JsonObject>, patch: Readonly<JsonObject>, place: Place): JsonObject {
  if (Object.hasOwn(patch, directive)) return directed(patch)
  const rest: JsonObject = { ...patch }
  const merged = retain({ ...original }, rest)
  for (const [key, order] of Object.entries(patch)) {
    if (key.startsWith(elementOrder)) orderElements(merged, rest, { key, order, place })
  }
  for (const [key, value] of Object.entries(rest)) {
    if (key.startsWith(deleteFromList)) deleteElements(merged, key, value)
    else if (value === null) delete merged[key]
    else setOrDrop(merged, key, mergeField(fieldOf(merged, key), value, within(place, key)))
  }
  return merged
}

function mergeField(current: unknown, value: unknown, place: Place): unknown {
  if (isObject(current) && isObject(value)) {
    return place.keys[place.path] === replacedWhole ? withoutDirectives(value) : mergeObject(current, value, place)
  }
  const mergeKey = place.keys[place.path]
  if (Array.isArray(current) && Array.isArray(value) && mergeKey !== undefined) {
    return mergeLists(current, value, { mergeKey, mergeItem: (item, change) => mergeObject(item, change, place) })
  }
  return withoutDirectives(value)
}

/** A directive for the whole object: nothing of the original is left. */
function directed(patch: Readonly<JsonObject>): JsonObject {
  const { [directive]: order, ...rest } = patch
  if (order === 'delete') return {}
  if (order === 'replace') return withoutDirectives(rest) as JsonObject
  throw unexpected(`unknown patch type: ${String(order)} in map: ${goText(patch)}`)
}

/** Of a union the fields that the patch does not name go. */
function retain(original: JsonObject, patch: JsonObject): JsonObject {
  if (!Object.hasOwn(patch, retainKeys)) return original
  const list = patch[retainKeys]
  delete patch[retainKeys]
  const malformed = badRequest('invalid patch format of retainKeys')
  if (!Array.isArray(list)) throw malformed
  const kept = new Set<unknown>(list)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null || key.startsWith(deleteFromList) || key.startsWith(elementOrder)) continue
    if (!kept.has(key)) throw malformed
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => kept.has(key)))
}

/** Merges the list that an order speaks of, puts it in that order, and takes both out of the patch. */
function orderElements(
  merged: JsonObject,
  patch: JsonObject,
  { key, order, place }: { key: string; order: unknown; place: Place },
): void {
  const name = nameAfter(key, elementOrder, 'invalid patch format of setElementOrder list')
  delete patch[key]
  // The real server's types leave empty lists out.
  const current = nonEmpty(listOf(fieldOf(merged, name)))
  const change = listOf(fieldOf(patch, name))
  const wanted = listOf(order)
  if (wanted === undefined) throw unexpected(`expected a []interface {}, but received a ${typeof order}`)
  if (current === undefined && change === undefined) return
  const list = within(place, name)
  const mergeKey = place.keys[list.path] ?? ''
  checkOrder(change ?? [], wanted, mergeKey)
  const value = change === undefined ? current : mergeField(current, change, list)
  const live = overwritten(current ?? [], change ?? [], mergeKey)
  setField(merged, name, orderLike(listOf(value) ?? [], { wanted, live, mergeKey }))
  delete patch[name]
}

/** The items of the patch must be in the order that the same patch asks for. */
function checkOrder(change: readonly unknown[], wanted: readonly unknown[], mergeKey: string): void {
  const identity = (item: unknown) => (mergeKey === '' || !isObject(item) ? item : fieldOf(item, mergeKey))
  const items = change.filter((item) => !(isObject(item) && Object.hasOwn(item, directive)))
  if (items.length === 0 || wanted.length === 0) return
  let at = 0
  for (const item of wanted) if (at < items.length && identity(items[at]) === identity(item)) at++
  if (at === items.length) return
  const shown = `${JSON.stringify(change)}\n doesn't match ${elementOrder} list:\n${JSON.stringify(wanted)}`
  throw unexpected(`The order in patch list:\n${shown}\n`)
}

function deleteElements(merged: JsonObject, key: string, value: unknown): void {
  const name = nameAfter(key, deleteFromList, 'invalid patch format of primitive list')
  const current = fieldOf(merged, name)
  if (Array.isArray(current) && Array.isArray(value)) setField(merged, name, removeFromList(current, value))
}

function nameAfter(key: string, prefix: string, problem: string): string {
  if (!key.startsWith(`${prefix}/`)) throw badRequest(problem)
  return key.slice(prefix.length + 1)
}

function listOf(value: unknown): unknown[] | undefined {
  if (value === undefined || Array.isArray(value)) return value
  throw unexpected(`expected a []interface {}, but received a ${typeof value}`)
}

function nonEmpty(list: unknown[] | undefined): unknown[] | undefined {
  return list?.length === 0 ? undefined : list
}

function within({ path, keys }: Place, name: string): Place {
  return { path: path === '' ? name : `${path}.${name}`, keys }
}
