import type { FieldFault } from '../failure.ts'
import { isObject } from '../patch/json.ts'

// Faults of fields in the words of the real server.

export function invalidValue(field: string, value: unknown, detail: string): FieldFault {
  return { field, kind: 'Invalid', message: `Invalid value: ${renderValue(value)}: ${detail}` }
}

/** Of objects and lists the value is not shown. */
export function invalidWithoutValue(field: string, detail: string): FieldFault {
  return { field, kind: 'Invalid', message: `Invalid value: ${detail}` }
}

export function wrongType(field: string, found: string, detail: string): FieldFault {
  return { field, kind: 'TypeInvalid', message: `Invalid value: ${JSON.stringify(found)}: ${detail}` }
}

export function requiredValue(field: string, detail = ''): FieldFault {
  return { field, kind: 'Required', message: `Required value${detail === '' ? '' : `: ${detail}`}` }
}

export function forbiddenField(field: string, detail: string): FieldFault {
  return { field, kind: 'Forbidden', message: `Forbidden: ${detail}` }
}

export function duplicateValue(field: string, value: unknown): FieldFault {
  return { field, kind: 'Duplicate', message: `Duplicate value: ${renderValue(value)}` }
}

export function unsupportedValue(field: string, value: unknown, supported: readonly unknown[]): FieldFault {
  const list = supported.map((one) => JSON.stringify(typeof one === 'string' ? one : goJson(one)))
  const message = `Unsupported value: ${renderValue(value)}: supported values: ${list.join(', ')}`
  return { field, kind: 'NotSupported', message }
}

export function tooLong(field: string, lengthMax: number): FieldFault {
  const message = `Too long: may not be more than ${lengthMax} ${lengthMax === 1 ? 'byte' : 'bytes'}`
  return { field, kind: 'TooLong', message }
}

export function tooMany(field: string, count: number, countMax: number): FieldFault {
  const message = `Too many: ${count}: must have at most ${countMax} ${countMax === 1 ? 'item' : 'items'}`
  return { field, kind: 'TooMany', message }
}

function renderValue(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value) : goJson(value)
}

/** As Go writes JSON: keys in order, and what HTML reads escaped. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(sorted(value)) ?? 'null'
  return text.replaceAll(/[<>&\u2028\u2029]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]))
}
