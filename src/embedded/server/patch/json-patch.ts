import { ApiFailure, badRequest, tooLarge } from '../failure.ts'
import { checkDepth, fieldOf, isObject, jsonEqual, setField, type JsonObject } from './json.ts'

const operationsMax = 10_000
/** What all copy operations of a patch may add, as the real server counts it: in bytes of JSON. */
const copiedBytesMax = 3 * 1024 * 1024

interface Operation {
  readonly op: string
  readonly path: string | undefined
  readonly from: string | undefined
  readonly value: unknown
}

/** RFC 6902, with the quirks of the real server's library: negative indexes count from the end, replacing may add. */
export function jsonPatch(original: Readonly<JsonObject>, patch: unknown): unknown {
  const operations = parseOperations(patch)
  if (operations.length > operationsMax) {
    throw tooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${operationsMax}, got ${operations.length}`,
    )
  }
  const document = new Document(original)
  for (const operation of operations) document.apply(operation)
  checkDepth(document.root)
  return document.root
}

/** Its message says no more: the real server drops the words of its library on the way to a client. */
export class RejectedPatch extends ApiFailure {
  /** Those words, which policies pass on. */
  readonly why: string

  constructor(why: string) {
    super(422, 'Invalid', 'the server rejected our request due to an error in our request', {})
    this.why = why
  }
}

export function rejectedPatch(why = 'invalid patch'): RejectedPatch {
  return new RejectedPatch(why)
}

/** A `test` of the patch does not hold. */
export class FailedTest extends RejectedPatch {}

/** There is nothing at the path to write into. */
class MissingPath extends Error {}

/** The original is shared with everyone who reads the store, so a container is copied before it is changed for the first time. */
class Document {
  root: unknown
  readonly #owned = new Set<object>()
  #copiedBytes = 0

  constructor(root: unknown) {
    this.root = root
  }

  apply(operation: Operation): void {
    try {
      this.#apply(operation)
    } catch (error) {
      if (!(error instanceof MissingPath)) throw error
      const { op, path = '' } = operation
      const shown = op === 'replace' ? path : `"${path}"`
      throw rejectedPatch(`${op} operation does not apply: doc is missing path: ${shown}: missing value`)
    }
  }

  #apply(operation: Operation): void {
    switch (operation.op) {
      case 'add':
        return this.#add(operation.path, operation.value)
      case 'remove':
        return this.#remove(operation.path)
      case 'replace':
        return this.#replace(operation.path, operation.value)
      case 'move':
        return this.#move(operation.from, operation.path)
      case 'copy':
        return this.#copy(operation.from, operation.path)
      case 'test':
        return this.#test(operation.path, operation.value)
      default:
        throw rejectedPatch()
    }
  }

  #add(path: string | undefined, value: unknown): void {
    const { container, key } = this.#locate(path, 'write')
    if (!Array.isArray(container)) return setField(container, key, value)
    if (key === '-') container.push(value)
    else container.splice(arrayIndex(key, container.length + 1), 0, value)
  }

  #remove(path: string | undefined): void {
    const { container, key } = this.#locate(path, 'write')
    if (Array.isArray(container)) {
      container.splice(arrayIndex(key, container.length), 1)
      return
    }
    if (!Object.hasOwn(container, key)) {
      const why = `Unable to remove nonexistent key: ${key}: missing value`
      throw rejectedPatch(`error in remove for path: '${path}': ${why}`)
    }
    delete container[key]
  }

  #replace(path: string | undefined, value: unknown): void {
    if (path === '') {
      if (typeof value !== 'object' || value === null) throw rejectedPatch()
      this.root = value
      return
    }
    const { container, key } = this.#locate(path, 'write')
    if (Array.isArray(container)) container[arrayIndex(key, container.length)] = value
    else setField(container, key, value)
  }

  #move(from: string | undefined, path: string | undefined): void {
    const value = this.#read(from)
    this.#remove(from)
    this.#add(path, value)
  }

  #copy(from: string | undefined, path: string | undefined): void {
    const value = this.#read(from) ?? null
    this.#copiedBytes += Buffer.byteLength(JSON.stringify(value))
    if (this.#copiedBytes > copiedBytesMax) throw rejectedPatch()
    // Both places hold the same containers from now on, so neither may be changed without copying it first.
    this.#owned.clear()
    this.#add(path, value)
  }

  #test(path: string | undefined, value: unknown): void {
    const found = path === '' ? this.root : this.#read(path)
    if (!jsonEqual(found ?? null, value)) throw new FailedTest('testing value failed')
  }

  #read(path: string | undefined): unknown {
    const { container, key } = this.#locate(path, 'read')
    return Array.isArray(container) ? container[arrayIndex(key, container.length)] : fieldOf(container, key)
  }

  #locate(path: string | undefined, purpose: 'read' | 'write'): { container: unknown[] | JsonObject; key: string } {
    const parts = (path ?? '').split('/')
    const key = parts.pop()
    if (path === undefined || key === undefined || parts.length === 0) throw new MissingPath()
    let container = this.#entered(this.root, purpose)
    this.root = container
    for (const part of parts.slice(1)) {
      const at = decodeKey(part)
      const index = Array.isArray(container) ? arrayIndex(at, container.length) : at
      const held = container as JsonObject
      const child = this.#entered(fieldOf(held, String(index)), purpose)
      if (purpose === 'write') setField(held, String(index), child)
      container = child
    }
    return { container, key: decodeKey(key) }
  }

  #entered(value: unknown, purpose: 'read' | 'write'): unknown[] | JsonObject {
    if (typeof value !== 'object' || value === null) throw new MissingPath()
    const container = value as unknown[] | JsonObject
    if (purpose === 'read' || this.#owned.has(container)) return container
    const copy = Array.isArray(container) ? [...container] : { ...container }
    this.#owned.add(copy)
    return copy
  }
}

function decodeKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Negative indexes count from the end. */
function arrayIndex(key: string, length: number): number {
  if (!/^[+-]?[0-9]{1,9}$/.test(key)) throw rejectedPatch()
  const index = Number(key)
  if (index >= length || index < -length) throw rejectedPatch()
  return index < 0 ? index + length : index
}

function parseOperations(patch: unknown): Operation[] {
  if (!Array.isArray(patch)) throw undecodable(patch, 'value of type []handlers.jsonPatchOp')
  return patch.map((operation: unknown) => {
    if (operation !== null && !isObject(operation)) throw undecodable(operation, 'value of type handlers.jsonPatchOp')
    const text = (name: string): string | undefined => {
      const value = operation === null ? undefined : (fieldOf(operation, name) ?? undefined)
      if (value === undefined || typeof value === 'string') return value
      throw undecodable(value, `struct field jsonPatchOp.${name} of type string`)
    }
    const value = operation === null ? null : (fieldOf(operation, 'value') ?? null)
    return { op: text('op') ?? 'unknown', path: text('path'), from: text('from'), value }
  })
}

function undecodable(value: unknown, wanted: string): ApiFailure {
  return badRequest(`error decoding patch: json: cannot unmarshal ${jsonTypeOf(value)} into Go ${wanted}`)
}

export function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return typeof value === 'boolean' ? 'bool' : typeof value
}
