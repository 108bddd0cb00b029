import type { AnyObject } from '../../store.ts'
import type { AdmissionRequest } from '../admission.ts'

type Mutate<T> = (request: AdmissionRequest) => T

/** The real server gives an object its UID and its name only after policies and webhooks have seen it. */
export async function withoutSystemFields(
  request: AdmissionRequest,
  mutate: Mutate<AnyObject | undefined | Promise<AnyObject | undefined>>,
): Promise<AnyObject | undefined> {
  const before = bareObject(request)
  const name = isNameGenerated(request) ? undefined : request.name
  const after = await mutate({ ...request, name, object: before })
  return after === undefined || after === before ? request.object : withSystemFields(after, request.object)
}

function bareObject(request: AdmissionRequest): AnyObject | undefined {
  const { object, operation, subresource } = request
  if (object === undefined || operation !== 'CREATE' || subresource !== undefined) return object
  const { uid: _, creationTimestamp: __, generation: ___, name, ...metadata } = object.metadata
  const named = isNameGenerated(request) || name === undefined ? metadata : { name, ...metadata }
  return { ...object, metadata: named }
}

function isNameGenerated({ operation, object, name }: AdmissionRequest): boolean {
  const { generateName = '' } = object?.metadata ?? {}
  return operation === 'CREATE' && generateName !== '' && name?.startsWith(generateName) === true
}

function withSystemFields(object: AnyObject, original: AnyObject | undefined): AnyObject {
  const { uid, creationTimestamp, generation, name } = original?.metadata ?? {}
  const own = Object.fromEntries(
    Object.entries({ uid, creationTimestamp, generation }).filter(([, value]) => value !== undefined),
  )
  const named = object.metadata.name === undefined && name !== undefined ? { name } : {}
  return { ...object, metadata: { ...object.metadata, ...named, ...own } }
}
