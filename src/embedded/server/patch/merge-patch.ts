import { fieldOf, isObject, setField, type JsonObject } from './json.ts'

/** RFC 7386. Neither argument is changed; what the patch leaves alone is shared with the original. */
export function mergePatch(original: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged: JsonObject = isObject(original) ? { ...original } : {}
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key]
    else setField(merged, key, mergeField(fieldOf(merged, key), value))
  }
  return merged
}

/** Unlike the RFC, the real server drops null fields within the lists of a patch too, unless the list replaces an object. */
function mergeField(current: unknown, value: unknown): unknown {
  if (Array.isArray(value) && !isObject(current)) return value.map(withoutNulls)
  return mergePatch(current, value)
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  return isObject(value) ? mergePatch({}, value) : value
}
