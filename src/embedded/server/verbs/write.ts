import { resourceId, type ResourceDefinition } from '../definition.ts'
import {
  ApiFailure,
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  invalid,
  modifiedMeanwhile,
  notFound,
  tellingWarnings,
} from '../failure.ts'
import { timestamp } from '../identity.ts'
import { sameJson, sharingUnchanged } from '../json-value.ts'
import { assert } from '../../../runtime/assert.ts'
import { checkUpdatePreconditions, isIdentified, metaFaults, metaForCreate, metaForUpdate } from '../object-meta.ts'
import { keyOf, type AnyObject, type Identified, type Stored } from '../store.ts'
import type { ObjectRequest, ResourceRequest, ServerParts } from './context.ts'

/** How often a write that names no version is made again on top of someone else's, as the real server does. */
const attemptsMax = 5

const terminating = 'create not allowed while custom resource definition is terminating'

export interface Written {
  readonly object: Identified
  readonly warnings: readonly string[]
}

export function createObject(parts: ServerParts, target: ResourceRequest): Promise<Written> {
  const warnings: string[] = []
  return tellingWarnings(warnings, () => createWarning(parts, target, warnings))
}

async function createWarning(parts: ServerParts, target: ResourceRequest, warnings: string[]): Promise<Written> {
  const { definition, request, dryRun } = target
  const sent = parseBody(request.body, definition)
  if (definition.isTerminating === true) throw forbidden(definition, sent.metadata.name, terminating)
  const metadata = metaForCreate(sent.metadata, target, {
    clock: parts.clock,
    random: parts.identities,
  })
  const filled = fill({ ...sent, metadata }, definition)
  const prepared = definition.prepareForCreate?.(filled) ?? filled
  checkNamespace(parts, target, sent.metadata.name)
  const admission = { ...admissionOf(target, 'CREATE'), name: metadata.name, oldObject: undefined }
  const admitted = (await parts.admission.mutate({ ...admission, object: prepared }, warnings)) ?? prepared
  const object = checked(fill(admitted, definition), undefined, definition)
  await parts.admission.validate({ ...admission, object }, warnings)
  // Again, because admission took its time.
  checkNamespace(parts, target, sent.metadata.name)
  const key = keyOf(object.metadata)
  const id = resourceId(definition)
  if (parts.store.get(id, key) !== undefined) throw alreadyExists(definition, object.metadata.name)
  if (dryRun) return { object, warnings }
  return { object: parts.store.put(id, key, object), warnings }
}

/** A change of an object: gets it as it is now, returns it as it should be. May be called again on a newer one. */
export type Change = (old: Stored) => AnyObject

/** Changes an object, however often others change it meanwhile; a change that names a version fails when that is old. */
export async function updateObject(parts: ServerParts, target: ObjectRequest, change: Change): Promise<Written> {
  const { definition, name } = target
  const id = resourceId(definition)
  const key = keyOf(target)
  for (let attempt = 1; ; attempt++) {
    const old = parts.store.get(id, key)
    if (old === undefined) throw notFound(definition, name)
    const warnings: string[] = []
    const object = await tellingWarnings(warnings, () =>
      prepareUpdate(parts, target, { old, sent: change(old), warnings }),
    )
    if (parts.store.get(id, key) !== old) {
      if (attempt < attemptsMax) continue
      throw conflict(definition, name, modifiedMeanwhile)
    }
    return { object: commit(parts, target, { id, key, old, object }), warnings }
  }
}

async function prepareUpdate(
  parts: ServerParts,
  target: ResourceRequest,
  { old, sent, warnings }: { old: Stored; sent: AnyObject; warnings: string[] },
): Promise<Identified> {
  const { definition } = target
  checkUpdatePreconditions(sent, old, { definition, isPatch: target.request.method === 'PATCH' })
  const prepare = (object: AnyObject) => prepareForUpdate(fill(object, definition), old, target)
  const prepared = prepare({ ...sent, metadata: metaForUpdate(sent.metadata, old) })
  const admission = { ...admissionOf(target, 'UPDATE'), oldObject: old }
  const admitted = (await parts.admission.mutate({ ...admission, object: prepared }, warnings)) ?? prepared
  const again =
    admitted === prepared ? prepared : prepare({ ...admitted, metadata: metaForUpdate(admitted.metadata, old) })
  const object = checked(again, old, definition)
  await parts.admission.validate({ ...admission, object }, warnings)
  return object
}

function commit(
  parts: ServerParts,
  { dryRun, definition }: ResourceRequest,
  { id, key, old, object }: { id: string; key: string; old: Stored; object: Identified },
): Stored {
  const { resourceVersion } = old.metadata
  // Down to labels and owners: by their identity controllers see what a change does not concern.
  const metadata = sharingUnchanged({ ...object.metadata, resourceVersion }, old.metadata)
  const current = sharingUnchanged({ ...object, metadata }, old)
  // A write that changes nothing is no write: watches get no event, and the version stays.
  if (dryRun || sameJson(current, old)) return current
  const isLastHold = old.metadata.deletionTimestamp !== undefined && (object.metadata.finalizers ?? []).length === 0
  const lingers = definition.lingersAs?.(current) !== undefined
  if (isLastHold && object.metadata.deletionGracePeriodSeconds === 0 && !lingers) {
    parts.store.delete(id, key)
    return current
  }
  return parts.store.put(id, key, current)
}

/** Status goes through its own door, and everything else stays out of it. */
function prepareForUpdate(object: AnyObject, old: Stored, { definition, subresource }: ResourceRequest): AnyObject {
  const hasStatus = definition.subresources.some(({ name }) => name === 'status')
  if (subresource === 'status') {
    const { labels, annotations, finalizers, ownerReferences, ...metadata } = old.metadata
    const kept = { labels, annotations, finalizers, ownerReferences }
    const sentMeta = object.metadata
    const next = {
      ...old,
      metadata: { ...metadata, ...definedOnly(kept), ...statusMeta(sentMeta, definition) },
    } as AnyObject
    return withField(next, 'status', object['status'])
  }
  const next = hasStatus ? withField(object, 'status', old['status']) : object
  const prepared = definition.prepareForUpdate?.(next, old) ?? next
  if (!definition.countsGenerations || hasSameCountedPart(prepared, old)) return prepared
  return { ...prepared, metadata: { ...prepared.metadata, generation: (old.metadata.generation ?? 0) + 1 } }
}

/** Of the built-in kinds a status update also takes labels, annotations and finalizers; of custom ones none of them. */
function statusMeta(sent: AnyObject['metadata'], definition: ResourceDefinition): Partial<AnyObject['metadata']> {
  if (!definition.mayUpdateUnconditionally) return {}
  return definedOnly({ labels: sent.labels, annotations: sent.annotations, finalizers: sent.finalizers })
}

function hasSameCountedPart(object: AnyObject, old: Stored): boolean {
  const countedKeys = (fields: object) => Object.keys(fields).filter((key) => key !== 'metadata' && key !== 'status')
  const keys = countedKeys(object)
  return (
    keys.length === countedKeys(old).length &&
    keys.every((key) => Object.hasOwn(old, key) && sameJson(object[key], old[key]))
  )
}

function withField(object: AnyObject, field: string, value: unknown): AnyObject {
  if (object[field] === value && Object.hasOwn(object, field) === (value !== undefined)) return object
  if (value !== undefined) return { ...object, [field]: value }
  const { [field]: _, ...rest } = object
  return rest as AnyObject
}

function definedOnly<T extends object>(object: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never
}

function fill(object: AnyObject, definition: ResourceDefinition): AnyObject {
  const pruned = definition.prune?.(object) ?? object
  return definition.fillDefaults?.(pruned) ?? pruned
}

/** What was sent has no faults, so it has a name; its UID it got from the server. */
function checked(object: AnyObject, old: Stored | undefined, definition: ResourceDefinition): Identified {
  const faults = [...metaFaults(object, definition), ...(definition.validate?.(object, old) ?? [])]
  if (faults.length > 0) throw invalid(definition.kind, definition.group, object.metadata.name, faults)
  assert(isIdentified(object), 'an object without faults has a name and a UID')
  return object
}

/** Nothing begins in a namespace that is not there, or about to go. */
function checkNamespace(
  { store }: ServerParts,
  { definition, namespace }: ResourceRequest,
  name: string | undefined,
): void {
  if (namespace === undefined) return
  const found = store.get('namespaces', namespace)
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace)
  if (found.metadata.deletionTimestamp === undefined) return
  const message = `namespace ${namespace} is being terminated`
  const causes = [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }]
  throw forbidden(
    definition,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    causes,
  )
}

export function parseBody(body: unknown, definition: ResourceDefinition): AnyObject {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('the object provided is not an object')
  const object = body as Partial<AnyObject>
  const expected = definition.group === '' ? definition.version : `${definition.group}/${definition.version}`
  if (object.kind !== undefined && object.kind !== definition.kind) {
    throw new ApiFailure(
      400,
      'BadRequest',
      `${object.kind} in version "${object.apiVersion ?? ''}" cannot be handled as a ${definition.kind}: unexpected kind`,
    )
  }
  if (object.apiVersion !== undefined && object.apiVersion !== expected)
    throw badRequest(wrongVersion(object.apiVersion, expected, definition))
  return { ...object, apiVersion: expected, kind: definition.kind, metadata: object.metadata ?? {} }
}

/** Built-in kinds are decoded by a scheme, which says where it was made; custom ones are compared. */
function wrongVersion(
  version: string,
  expected: string,
  { kind, mayUpdateUnconditionally: isBuiltIn }: ResourceDefinition,
): string {
  if (!isBuiltIn)
    return `the API version in the data (${version}) does not match the expected API version (${expected})`
  return `${kind} in version "${version}" cannot be handled as a ${kind}: no kind "${kind}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`
}

function admissionOf(target: ResourceRequest, operation: 'CREATE' | 'UPDATE') {
  const { definition, subresource, namespace, name, dryRun, request } = target
  const options = {
    kind: operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions',
    apiVersion: 'meta.k8s.io/v1',
    ...(dryRun ? { dryRun: ['All'] } : {}),
  }
  return { operation, definition, subresource, namespace, name, dryRun, user: request.user, options }
}

/** Marks an object as about to go: from now on it only waits for its finalizers, or for its grace period. */
export function withDeletionMark(object: Stored, nowMs: number, gracePeriodSeconds: number): Stored {
  const deletionTimestamp = timestamp(nowMs + gracePeriodSeconds * 1_000)
  const counted = object.metadata.generation === undefined ? {} : { generation: object.metadata.generation + 1 }
  const metadata = { ...object.metadata, ...counted, deletionTimestamp, deletionGracePeriodSeconds: gracePeriodSeconds }
  return { ...object, metadata }
}
