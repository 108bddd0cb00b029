import type { ObjectMeta } from '../../api/kubernetes/meta.ts'
import { isDeepStrictEqual } from 'node:util'
import { ApiFailure } from '../server/failure.ts'
import { type Stored, readAs } from '../server/store.ts'
import type { ControllerParts } from './controller.ts'

/** The result of a write; undefined if it was refused for one of the reasons that a controller may meet in passing. */
export async function ignoring<T>(reasons: readonly string[], write: Promise<T>): Promise<T | undefined> {
  try {
    return await write
  } catch (error) {
    if (error instanceof ApiFailure && reasons.includes(error.reason)) return undefined
    throw error
  }
}

/**
 * Writes the status, if it differs from the one that the controller has seen. Meanwhile changed or gone, nothing
 * happens: either wakes the controller again.
 */
export async function writeStatus(
  { api }: ControllerParts,
  resource: string,
  object: { readonly metadata: ObjectMeta; readonly status?: unknown },
  status: object,
): Promise<Stored | undefined> {
  if (isDeepStrictEqual(object.status, status)) return undefined
  const next = readAs<Stored>({ ...object, status })
  return await ignoring(['Conflict', 'NotFound'], api.replace(resource, next, 'status'))
}

/** As `writeStatus`, for the object itself. */
export async function writeObject(
  { api }: ControllerParts,
  resource: string,
  next: { readonly metadata: ObjectMeta },
): Promise<Stored | undefined> {
  return await ignoring(['Conflict', 'NotFound'], api.replace(resource, readAs<Stored>(next)))
}
