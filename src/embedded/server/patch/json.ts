import { badRequest } from '../failure.ts'

export type JsonObject = Record<string, unknown>

/**
 * The real server refuses to decode what is nested deeper than 10,000. We stop earlier: comparing, copying and writing
 * values all recurse in this process, and no client of Kubernetes comes near either limit.
 */
export const depthMax = 1_000

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Only what is in the object itself: a label may be called `constructor`. */
export function fieldOf(object: Readonly<JsonObject>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

/** Like an assignment, but a key `__proto__` becomes a field as any other. */
export function setField(object: JsonObject, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

export function jsonEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => jsonEqual(item, other[at]))
  }
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && jsonEqual(one[key], other[key]))
  )
}

/** Refuses what is nested too deeply, without recursion of its own. */
export function checkDepth(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  let level: object[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > depthMax) throw badRequest('json: exceeded max depth')
    const next: object[] = []
    for (const container of level) {
      for (const child of Object.values(container) as unknown[]) {
        if (typeof child === 'object' && child !== null) next.push(child)
      }
    }
    level = next
  }
}

/** A value as the real server prints it in some of its messages. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`
  if (typeof value !== 'object') return typeof value === 'string' ? value : JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(' ')}]`
}
