import type { Status, StatusCause, StatusDetails } from '../../api/kubernetes/meta.ts'
import type { ResourceName } from './definition.ts'
import { isMissing } from './identity.ts'

/** An answer other than success, in the API server's own words: clients read its codes, reasons, causes and messages. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure'
  readonly code: number
  readonly reason: string
  readonly details: StatusDetails | undefined
  /** What admission had to say before the request failed: the client is told that too. */
  warnings: readonly string[] = []

  constructor(code: number, reason: string, message: string, details?: StatusDetails) {
    super(message)
    this.code = code
    this.reason = reason
    this.details = details
  }

  toStatus(): Status & { metadata: object } {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined ? {} : { details: this.details }),
      code: this.code,
    }
  }
}

/** Does something to which admission may add warnings: the client hears of them even if it fails afterwards. */
export async function tellingWarnings<T>(warnings: readonly string[], act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof ApiFailure) error.warnings = [...warnings]
    throw error
  }
}

/** One thing that is wrong with a field. */
export interface FieldFault {
  readonly field: string
  readonly kind:
    | 'Required'
    | 'Invalid'
    | 'NotSupported'
    | 'Forbidden'
    | 'Duplicate'
    | 'TooLong'
    | 'TooMany'
    | 'TypeInvalid'
  /** As the server shows it, without the field: `Invalid value: "x": must be …`. */
  readonly message: string
}

const causeReasons: Readonly<Record<FieldFault['kind'], string>> = {
  Required: 'FieldValueRequired',
  Invalid: 'FieldValueInvalid',
  NotSupported: 'FieldValueNotSupported',
  Forbidden: 'FieldValueForbidden',
  Duplicate: 'FieldValueDuplicate',
  TooLong: 'FieldValueTooLong',
  TooMany: 'FieldValueTooMany',
  TypeInvalid: 'FieldValueTypeInvalid',
}

export function badRequest(message: string): ApiFailure {
  return new ApiFailure(400, 'BadRequest', message)
}

export function notFound(resource: ResourceName, name: string | undefined): ApiFailure {
  const message = `${qualified(resource)} "${shownName(name)}" not found`
  return new ApiFailure(404, 'NotFound', message, detailsOf(resource, name))
}

/** There is no such path at all: the one answer that is not a Status. */
export class NoSuchPath extends Error {
  override readonly name = 'NoSuchPath'
  readonly text = '404 page not found\n'
}

/** The kind is there, and has no such subresource. */
export function noSuchSubresource(): ApiFailure {
  return new ApiFailure(404, 'NotFound', 'the server could not find the requested resource', {})
}

export function alreadyExists(resource: ResourceName, name: string): ApiFailure {
  return new ApiFailure(
    409,
    'AlreadyExists',
    `${qualified(resource)} "${name}" already exists`,
    detailsOf(resource, name),
  )
}

export function conflict(resource: ResourceName, name: string, why: string): ApiFailure {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`
  return new ApiFailure(409, 'Conflict', message, detailsOf(resource, name))
}

export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again'

/** A request that leaves the name to the server has none. */
export function forbidden(
  resource: ResourceName,
  name: string | undefined,
  why: string,
  causes?: StatusCause[],
): ApiFailure {
  const subject = isMissing(name) ? qualified(resource) : `${qualified(resource)} "${name}"`
  const details = { ...detailsOf(resource, name), ...(causes === undefined ? {} : { causes }) }
  return new ApiFailure(403, 'Forbidden', `${subject} is forbidden: ${why}`, details)
}

/** `kind` as the server qualifies it: `Pod`, `Deployment.apps`. */
export function invalid(
  kind: string,
  group: string,
  name: string | undefined,
  faults: readonly FieldFault[],
): ApiFailure {
  const texts = faults.map(({ field, message }) => `${field}: ${message}`)
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  const qualifiedKind = group === '' ? kind : `${kind}.${group}`
  const causes = faults.map((fault) => ({
    reason: causeReasons[fault.kind],
    message: fault.message,
    field: fault.field,
  }))
  const details = { ...(isMissing(name) ? {} : { name }), ...(group === '' ? {} : { group }), kind, causes }
  return new ApiFailure(422, 'Invalid', `${qualifiedKind} "${shownName(name)}" is invalid: ${list}`, details)
}

export function expired(message: string): ApiFailure {
  return new ApiFailure(410, 'Expired', message)
}

export function tooManyRequests(message: string, retryAfterSeconds: number, causes: StatusCause[] = []): ApiFailure {
  const details = {
    ...(causes.length === 0 ? {} : { causes }),
    ...(retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),
  }
  return new ApiFailure(429, 'TooManyRequests', message, details)
}

export function unauthorized(): ApiFailure {
  return new ApiFailure(401, 'Unauthorized', 'Unauthorized')
}

export function methodNotAllowed(): ApiFailure {
  const message = 'the server does not allow this method on the requested resource'
  return new ApiFailure(405, 'MethodNotAllowed', message, {})
}

export function unsupportedMediaType(message: string): ApiFailure {
  return new ApiFailure(415, 'UnsupportedMediaType', message)
}

export function tooLarge(message: string): ApiFailure {
  return new ApiFailure(413, 'RequestEntityTooLarge', message)
}

export function internal(message: string): ApiFailure {
  return new ApiFailure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
}

function qualified({ plural, group }: ResourceName): string {
  return group === '' ? plural : `${plural}.${group}`
}

/** In the words of the real server a name that a client left out is empty. */
export function shownName(name: string | undefined): string {
  return name === undefined ? '' : name
}

function detailsOf({ plural, group }: ResourceName, name: string | undefined): StatusDetails {
  return { ...(isMissing(name) ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural }
}
