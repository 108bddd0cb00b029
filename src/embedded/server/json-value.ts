/** Whether two values are the same as JSON. Much faster than a general comparison, above all where they share parts. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other))
    return Array.isArray(one) && Array.isArray(other) && sameItems(one, other)
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>]
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key], right[key]))
}

function sameItems(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, at) => sameJson(item, other[at]))
}

/** A copy that shares nothing with the original. What is undefined is left out, as JSON does. */
export function cloneJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => cloneJson(item) ?? null)
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    // Assigning to it would set the prototype.
    if (item !== undefined && key !== '__proto__') copy[key] = cloneJson(item)
  }
  return copy
}

/** The object with every field that did not change taken from the old one, so that others see by identity what did. */
export function sharingUnchanged<T extends object>(object: T, old: object): T {
  const before = old as Readonly<Record<string, unknown>>
  const shared = { ...object } as Record<string, unknown>
  for (const key of Object.keys(shared)) {
    if (sameJson(shared[key], before[key])) shared[key] = before[key]
  }
  return shared as T
}
