import type { Clock } from '../../runtime/clock.ts'
import type { RandomStream } from '../../runtime/random.ts'
import { annotationFaults } from './annotation-faults.ts'
import type { ResourceDefinition } from './definition.ts'
import { ApiFailure, badRequest, conflict, invalid, modifiedMeanwhile, type FieldFault } from './failure.ts'
import { generatedName, isMissing, randomUid, timestamp } from './identity.ts'
import type { AnyObject, Identified, Stored } from './store.ts'

export const dnsSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/
const nameLengthMax = 253
export const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"

/** Kinds of RBAC are named after what they grant: `system:node`. */
const namesWithColons: ReadonlySet<string> = new Set(['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'])

/** Metadata as the server makes it on creation. What only the server may set is set again, whatever came. */
export function metaForCreate(
  sent: AnyObject['metadata'],
  where: { readonly definition: ResourceDefinition; readonly namespace: string | undefined },
  parts: { readonly clock: Clock; readonly random: RandomStream },
): AnyObject['metadata'] {
  if (sent.resourceVersion !== undefined && sent.resourceVersion !== '') {
    // The real server has no reason for this one.
    throw new ApiFailure(500, '', 'resourceVersion should not be set on objects to be created')
  }
  if (!isMissing(sent.namespace) && sent.namespace !== where.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  }
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, namespace: ___, ...kept } = sent
  const base = sent.generateName ?? ''
  const name = !isMissing(sent.name) ? sent.name : base === '' ? undefined : generatedName(base, parts.random)
  return withoutEmpty({
    ...kept,
    ...(name === undefined ? {} : { name }),
    ...(where.namespace === undefined ? {} : { namespace: where.namespace }),
    uid: randomUid(parts.random),
    creationTimestamp: timestamp(parts.clock.nowMs()),
    ...(where.definition.countsGenerations ? { generation: 1 } : {}),
  })
}

/** Lists and maps that are empty are left out, as they are wherever Kubernetes writes metadata. */
function withoutEmpty<T extends object>(metadata: T): T {
  const isFull = (value: unknown) => typeof value !== 'object' || value === null || Object.keys(value).length > 0
  // Mostly there is nothing to leave out, and then nothing to copy.
  if (Object.values(metadata).every(isFull)) return metadata
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => isFull(value))) as T
}

const serverFields = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
] as const

/** Metadata of an update: what only the server may change stays as it was. */
export function metaForUpdate(sent: AnyObject['metadata'], old: Stored): AnyObject['metadata'] {
  const { uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds, generation } = old.metadata
  if (serverFields.every((field) => sent[field] === old.metadata[field])) return withoutEmpty(sent)
  const { deletionTimestamp: _, deletionGracePeriodSeconds: __, generation: ___, ...kept } = sent
  return withoutEmpty({
    ...kept,
    uid,
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(deletionGracePeriodSeconds === undefined ? {} : { deletionGracePeriodSeconds }),
    ...(generation === undefined ? {} : { generation }),
  })
}

/** Refuses an update that was made of something else than what is there now. */
export function checkUpdatePreconditions(
  sent: AnyObject,
  old: Stored,
  { definition, isPatch }: { readonly definition: ResourceDefinition; readonly isPatch: boolean },
): void {
  const { name } = old.metadata
  const { uid, resourceVersion } = sent.metadata
  const hasVersion = resourceVersion !== undefined && resourceVersion !== ''
  if (!hasVersion && !definition.mayUpdateUnconditionally) {
    const fault: FieldFault = {
      field: 'metadata.resourceVersion',
      kind: 'Invalid',
      message: 'Invalid value: 0: must be specified for an update',
    }
    throw invalid(definition.kind, definition.group, name, [fault])
  }
  const isAnother = !isMissing(uid) && uid !== old.metadata.uid
  // An object with another UID is a precondition that fails; a patch that changes the UID is a change that is not allowed.
  if (isAnother && isPatch) {
    const fault: FieldFault = {
      field: 'metadata.uid',
      kind: 'Invalid',
      message: `Invalid value: "${uid}": field is immutable`,
    }
    throw invalid(definition.kind, definition.group, name, [fault])
  }
  if (isAnother) {
    throw conflict(
      definition,
      name,
      storageError(
        old,
        definition,
        `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`,
      ),
    )
  }
  if (hasVersion && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(definition, name, modifiedMeanwhile)
}

/** The real server lets its store speak here, key and all. */
function storageError(
  { metadata: { name, namespace } }: Stored,
  { plural, group }: ResourceDefinition,
  message: string,
): string {
  const key = [
    '/registry',
    ...(group === '' ? [] : [group]),
    plural,
    ...(namespace === undefined ? [] : [namespace]),
    name,
  ].join('/')
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${message}`
}

export function isIdentified(object: AnyObject): object is Identified {
  return !isMissing(object.metadata.name) && !isMissing(object.metadata.uid)
}

export function metaFaults({ metadata }: AnyObject, definition: ResourceDefinition): FieldFault[] {
  return [...nameFaults(metadata.name, definition), ...annotationFaults(metadata.annotations)]
}

function nameFaults(name: string | undefined, definition: ResourceDefinition): FieldFault[] {
  if (isMissing(name)) {
    return [{ field: 'metadata.name', kind: 'Required', message: 'Required value: name or generateName is required' }]
  }
  if (namesWithColons.has(definition.plural)) return []
  if (name.length > nameLengthMax) {
    return [
      {
        field: 'metadata.name',
        kind: 'Invalid',
        message: `Invalid value: "${name}": must be no more than ${nameLengthMax} characters`,
      },
    ]
  }
  if (!dnsSubdomain.test(name)) {
    return [{ field: 'metadata.name', kind: 'Invalid', message: `Invalid value: "${name}": ${subdomainRule}` }]
  }
  return []
}
