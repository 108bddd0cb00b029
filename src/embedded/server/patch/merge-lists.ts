import { badRequest } from '../failure.ts'
import { directive, unexpected, withoutDirectives } from './directives.ts'
import { fieldOf, isObject, type JsonObject, goText } from './json.ts'
import { rejectedPatch } from './json-patch.ts'

interface Merging {
  /** Empty for a list of primitives, which merges as a set. */
  readonly mergeKey: string
  readonly mergeItem: (current: Readonly<JsonObject>, change: Readonly<JsonObject>) => JsonObject
}

/** Merges a list of a strategic merge patch into the live one: in the order of the patch, the others where they were. */
export function mergeLists(current: readonly unknown[], change: readonly unknown[], merging: Merging): unknown[] {
  if (current.length === 0 && change.length === 0) return [...current]
  if (!haveObjects([...current, ...change])) {
    const added = change.filter((item) => !current.includes(item))
    return orderLike([...new Set([...current, ...added])], { wanted: change, live: current, mergeKey: '' })
  }
  const { mergeKey, mergeItem } = merging
  if (mergeKey === '') throw unexpected('cannot merge lists without merge key for a list of objects')
  const live = current as readonly JsonObject[]
  const { kept, additions } = followDirectives(live, change as readonly JsonObject[], mergeKey)
  const merged = [...kept]
  for (const item of additions) {
    const key = keyOf(item, mergeKey)
    const at = merged.findIndex((other) => fieldOf(other, mergeKey) === key)
    const before = merged[at]
    if (before === undefined) merged.push(withoutDirectives(item) as JsonObject)
    else merged[at] = mergeItem(before, item)
  }
  return orderLike(merged, { wanted: additions, live: kept, mergeKey })
}

export function removeFromList(current: readonly unknown[], removed: readonly unknown[]): unknown[] {
  const gone = new Set(removed)
  return current.filter((item) => !gone.has(item))
}

/** Items that `wanted` names come in its order; each of the others stays in front of what it was in front of. */
export function orderLike(
  list: readonly unknown[],
  { wanted, live, mergeKey }: { wanted: readonly unknown[]; live: readonly unknown[]; mergeKey: string },
): unknown[] {
  const identity = (item: unknown) => (isObject(item) ? keyOf(item, mergeKey) : item)
  const wantedPlaces = placesOf(wanted.map(identity))
  const livePlaces = placesOf(live.map(identity))
  const place = (places: ReadonlyMap<unknown, number>, item: unknown) => places.get(identity(item)) ?? -1
  const named = list
    .filter((item) => wantedPlaces.has(identity(item)))
    .toSorted((one, other) => place(wantedPlaces, one) - place(wantedPlaces, other))
  const others = list.filter((item) => !wantedPlaces.has(identity(item)))
  const ordered: unknown[] = []
  let next = 0
  for (const item of named) {
    const here = place(livePlaces, item)
    const upTo = others.findIndex((other, at) => at >= next && place(livePlaces, other) >= here)
    const until = upTo < 0 ? others.length : upTo
    ordered.push(...others.slice(next, until), item)
    next = until
  }
  return [...ordered, ...others.slice(next)]
}

/**
 * The live list as the real server remembers it when it orders a merged one: it deletes and adds in place, so items that
 * were added stand where deleted ones made room.
 */
export function overwritten(live: readonly unknown[], change: readonly unknown[], mergeKey: string): unknown[] {
  const identity = (item: unknown) => (isObject(item) ? fieldOf(item, mergeKey) : item)
  const changes = change.filter(isObject)
  const deleted = new Set(changes.filter((item) => item[directive] === 'delete').map(identity))
  if (deleted.size === 0) return [...live]
  const kept = live.filter((item) => !deleted.has(identity(item)))
  const known = new Set(kept.map(identity))
  const added = changes.filter((item) => !Object.hasOwn(item, directive) && !known.has(identity(item)))
  return [...kept, ...added].slice(0, live.length)
}

function placesOf(identities: readonly unknown[]): Map<unknown, number> {
  const places = new Map<unknown, number>()
  for (const [at, identity] of identities.entries()) if (!places.has(identity)) places.set(identity, at)
  return places
}

/** Carries out `$patch: delete` and `$patch: replace` among the items. */
function followDirectives(
  live: readonly JsonObject[],
  change: readonly JsonObject[],
  mergeKey: string,
): { kept: readonly JsonObject[]; additions: readonly JsonObject[] } {
  const plain = change.filter((item) => !Object.hasOwn(item, directive))
  let kept = live
  let isReplaced = false
  for (const item of change) {
    if (!Object.hasOwn(item, directive)) continue
    const order = item[directive]
    if (order === 'merge') throw unexpected('merging lists cannot yet be specified in the patch')
    if (order === 'replace') isReplaced = true
    else if (order === 'delete') {
      const key = keyOf(item, mergeKey)
      kept = kept.filter((other) => fieldOf(other, mergeKey) !== key)
    } else throw unexpected(`unknown patch type: ${String(order)} in map: ${goText(item)}`)
  }
  if (isReplaced) return { kept: withoutDirectives(plain) as JsonObject[], additions: [] }
  return { kept, additions: plain }
}

/** Whether all items are objects, or none is. */
function haveObjects(items: readonly unknown[]): boolean {
  if (items.some(Array.isArray)) throw rejectedPatch()
  if (items.includes(null)) throw badRequest('a list that is merged has no null')
  const types = new Set(items.map((item) => typeof item))
  if (types.size > 1) throw unexpected(`list element types are not identical: ${JSON.stringify(items)}`)
  return types.has('object')
}

function keyOf(item: Readonly<JsonObject>, mergeKey: string): unknown {
  const key = fieldOf(item, mergeKey)
  if (key === undefined) {
    throw unexpected(`map: ${JSON.stringify(item)} does not contain declared merge key: ${mergeKey}`)
  }
  return key
}
