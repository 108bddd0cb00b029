import type { KubernetesObject, Manifest } from '../../api/kubernetes/meta.ts'
import { pods, type Resource } from '../../api/kubernetes/resources.ts'
import { keyOf, type Kube } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import type { ObjectKey } from '../../kube/client/paths.ts'
import { assert } from '../../runtime/assert.ts'
import type { Clock } from '../../runtime/clock.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import { resourceOf } from '../manifests/resources.ts'
import { mergeWanted } from './plan-apply.ts'

/** Something that a person has to see to before Lifeboat can start; one line that says what. */
export class InstallationError extends Error {
  override readonly name = 'InstallationError'
}

export interface ApplyParts {
  readonly kube: Kube
  readonly clock: Clock
  readonly signal?: AbortSignal | undefined
}

export type Applied = 'created' | 'updated' | 'unchanged'

const limits = { conflictsMax: 5, goneWithinMs: 60_000, lookEveryMs: 200 }

/**
 * Makes the object what we want it to be, whatever is there. Writing the same again costs a request and changes nothing:
 * the API server stores no new version of an object that is as it was.
 */
export async function applyObject(parts: ApplyParts, wanted: Manifest): Promise<Applied> {
  const resource = resourceOf(wanted)
  for (let conflicts = 0; ; conflicts++) {
    const existing = await untilNotTerminating(parts, resource, wanted)
    try {
      return existing === undefined
        ? await createObject(parts, resource, wanted)
        : await replaceObject(parts, resource, existing, wanted)
    } catch (error) {
      if (!isKubeError(error, 'conflict', 'alreadyExists', 'notFound') || conflicts >= limits.conflictsMax) throw error
    }
  }
}

export async function applyAll(parts: ApplyParts, objects: readonly Manifest[]): Promise<void> {
  for (const object of objects) await applyObject(parts, object)
}

/** Deletes it if it is there. True: it was. */
export async function removeObject(
  parts: ApplyParts,
  resource: Resource<KubernetesObject>,
  existing: Manifest,
): Promise<boolean> {
  assert(resource.plural !== pods.plural, 'pods leave by eviction, and are no part of an installation')
  const { uid } = existing.metadata
  try {
    await politely('delete', resource, existing, () =>
      parts.kube.delete(resource, keyOf(existing), {
        signal: parts.signal,
        ...(uid === undefined ? {} : { preconditions: { uid } }),
      }),
    )
    return true
  } catch (error) {
    // A conflict: another object has its name by now, and the caller did not ask to delete that one.
    if (isKubeError(error, 'notFound', 'conflict')) return false
    throw error
  }
}

/** Undefined: it is not there, or the kind itself is not. */
export async function readObject<T extends KubernetesObject>(
  parts: ApplyParts,
  resource: Resource<T>,
  key: ObjectKey,
): Promise<T | undefined> {
  return unlessNotFound(
    politely('get', resource, { metadata: key }, () => parts.kube.get(resource, key, { signal: parts.signal })),
  )
}

/** Whether the API server knows the kind. */
export async function serves({ kube, signal }: ApplyParts, kind: Resource<KubernetesObject>): Promise<boolean> {
  try {
    for await (const _page of kube.pages(kind, { pageSize: 1, signal })) return true
    return true
  } catch (error) {
    if (isKubeError(error, 'notFound')) return false
    throw error
  }
}

async function createObject(
  parts: ApplyParts,
  resource: Resource<KubernetesObject>,
  wanted: Manifest,
): Promise<Applied> {
  await politely('create', resource, wanted, () => parts.kube.create(resource, wanted, { signal: parts.signal }))
  return 'created'
}

async function replaceObject(
  parts: ApplyParts,
  resource: Resource<KubernetesObject>,
  existing: KubernetesObject,
  wanted: Manifest,
): Promise<Applied> {
  const merged = mergeWanted(existing, wanted)
  const written = await politely('update', resource, wanted, () =>
    parts.kube.replace(resource, merged, { signal: parts.signal }),
  )
  return written.metadata.resourceVersion === existing.metadata.resourceVersion ? 'unchanged' : 'updated'
}

/** What is on its way out, from an uninstall a moment ago, cannot be written to: it is waited for. */
async function untilNotTerminating(
  parts: ApplyParts,
  resource: Resource<KubernetesObject>,
  wanted: Manifest,
): Promise<KubernetesObject | undefined> {
  const patience = { ...parts, withinMs: limits.goneWithinMs, everyMs: limits.lookEveryMs }
  const found = await lookUntil(patience, async () => {
    const existing = await readObject(parts, resource, keyOf(wanted))
    return existing?.metadata.deletionTimestamp === undefined ? { existing } : undefined
  })
  if (found !== undefined) return found.existing
  throw new InstallationError(
    `${nameOf(resource, wanted)} is being deleted and does not go: see what its finalizers wait for`,
  )
}

/** A right that is missing is the admin's to give, so it is named with the object. */
async function politely<Answer>(
  verb: string,
  resource: Resource<KubernetesObject>,
  object: Manifest,
  call: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await call()
  } catch (error) {
    if (!isKubeError(error, 'forbidden', 'unauthorized')) throw error
    const what = nameOf(resource, object)
    throw new InstallationError(`the credentials given may not ${verb} ${what}: ${error.message}`, { cause: error })
  }
}

/** `clusterroles/lifeboat`, or with its namespace where it has one. */
export function nameOf(resource: Resource<KubernetesObject>, { metadata }: Manifest): string {
  const within = metadata.namespace === undefined ? '' : ` in namespace ${metadata.namespace}`
  return `${resource.plural}/${metadata.name}${within}`
}
