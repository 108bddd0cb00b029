import { ApiFailure } from '../failure.ts'
import { isObject, setField, type JsonObject } from './json.ts'

/** What a strategic merge patch may say beside values. */
export const directive = '$patch'
export const retainKeys = '$retainKeys'
export const deleteFromList = '$deleteFromPrimitiveList'
export const elementOrder = '$setElementOrder'

/** What a patch adds where nothing was: without its directives and nulls. Undefined: nothing. */
export function withoutDirectives(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter((item) => item !== undefined)
  if (!isObject(value)) return value
  if (Object.hasOwn(value, directive)) return undefined
  const kept: JsonObject = {}
  for (const [key, field] of Object.entries(value)) {
    if (field !== null && !isDirective(key)) setOrDrop(kept, key, withoutDirectives(field))
  }
  return kept
}

function isDirective(key: string): boolean {
  return key === retainKeys || key.startsWith(`${deleteFromList}/`) || key.startsWith(`${elementOrder}/`)
}

export function setOrDrop(object: JsonObject, key: string, value: unknown): void {
  if (value === undefined) delete object[key]
  else setField(object, key, value)
}

/** The real server does not expect these mistakes of a client, and answers as to one of its own. */
export function unexpected(message: string): ApiFailure {
  return new ApiFailure(500, '', message)
}
