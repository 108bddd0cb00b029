import { resourceId } from '../definition.ts'
import { badRequest, conflict, notFound, tellingWarnings } from '../failure.ts'
import { keyOf, type Stored } from '../store.ts'
import type { ObjectRequest, ResourceRequest, ServerParts } from './context.ts'
import { withDeletionMark } from './write.ts'

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly propagationPolicy?: string
  readonly dryRun?: readonly string[]
}

export interface Deleted {
  readonly object: Stored
  /** False: it is marked, and goes when its finalizers or its grace period let it. */
  readonly isGone: boolean
  readonly warnings: readonly string[]
}

/** Finalizers by which a deletion tells the garbage collector what to do with what the object owns. */
export const collectorFinalizers = { foreground: 'foregroundDeletion', orphan: 'orphan' }

const attemptsMax = 5

/** `asked` is what the request named: that of a collection names no object, and admission sees none. */
export async function deleteObject(
  parts: ServerParts,
  target: ObjectRequest,
  options: DeleteOptions,
  asked: Pick<ResourceRequest, 'name'> = target,
): Promise<Deleted> {
  const { definition, name, namespace, request, subresource } = target
  const dryRun = (options.dryRun ?? []).length > 0
  const id = resourceId(definition)
  const key = keyOf(target)
  for (let attempt = 1; ; attempt++) {
    const old = parts.store.get(id, key)
    if (old === undefined) throw notFound(definition, name)
    checkPreconditions(target, old, options)
    const warnings: string[] = []
    const admission = {
      operation: 'DELETE',
      definition,
      subresource,
      namespace,
      name: asked.name,
      dryRun,
      user: request.user,
      object: undefined,
      oldObject: old,
    } as const
    const sent = { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', ...options }
    await tellingWarnings(warnings, async () => {
      await parts.admission.mutate({ ...admission, options: sent }, warnings)
      await parts.admission.validate({ ...admission, options: sent }, warnings)
    })
    if (parts.store.get(id, key) !== old && attempt < attemptsMax) continue
    return { ...carryOut(parts, target, { old, options, id, key }), warnings }
  }
}

function carryOut(
  parts: ServerParts,
  { definition }: ResourceRequest,
  { old, options, id, key }: { old: Stored; options: DeleteOptions; id: string; key: string },
): Omit<Deleted, 'warnings'> {
  const dryRun = (options.dryRun ?? []).length > 0
  const gracePeriodSeconds = definition.plural === 'pods' && definition.group === '' ? podGraceSeconds(old, options) : 0
  const finalizers = collectorFinalizersAfter(old, options)
  const lingering = definition.lingersAs?.(old)
  const isHeld = finalizers.length > 0 || lingering !== undefined
  const { metadata } = old
  const isMarked = metadata.deletionTimestamp !== undefined
  // A second request can only shorten what is left of the first one's grace.
  if (
    isMarked &&
    gracePeriodSeconds >= (metadata.deletionGracePeriodSeconds ?? 0) &&
    (gracePeriodSeconds > 0 || isHeld)
  ) {
    const unchanged = sameList(finalizers, metadata.finalizers ?? [])
    if (unchanged || dryRun) return { object: old, isGone: false }
    return { object: parts.store.put(id, key, withFinalizers(old, finalizers)), isGone: false }
  }
  if (gracePeriodSeconds === 0 && !isHeld) {
    return { object: dryRun ? old : parts.store.delete(id, key), isGone: true }
  }
  const marked = withDeletionMark(withFinalizers(lingering ?? old, finalizers), parts.clock.nowMs(), gracePeriodSeconds)
  return { object: dryRun ? marked : parts.store.put(id, key, marked), isGone: false }
}

/** A pod that never ran, or has ended, has nothing to end gracefully. */
function podGraceSeconds(pod: Stored, options: DeleteOptions): number {
  const spec = pod['spec'] as { nodeName?: string; terminationGracePeriodSeconds?: number } | undefined
  const phase = (pod['status'] as { phase?: string } | undefined)?.phase
  if (phase === 'Succeeded' || phase === 'Failed') return 0
  if (spec?.nodeName === undefined || spec.nodeName === '') return 0
  return options.gracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30
}

/** The collector's finalizers follow the last request that names a policy; all others stay. */
function collectorFinalizersAfter({ metadata }: Stored, { propagationPolicy }: DeleteOptions): string[] {
  const finalizers = metadata.finalizers ?? []
  if (propagationPolicy === undefined) return [...finalizers]
  const others = finalizers.filter(
    (name) => name !== collectorFinalizers.foreground && name !== collectorFinalizers.orphan,
  )
  if (propagationPolicy === 'Foreground') return [...others, collectorFinalizers.foreground]
  if (propagationPolicy === 'Orphan') return [...others, collectorFinalizers.orphan]
  if (propagationPolicy === 'Background') return others
  throw badRequest(
    `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "${propagationPolicy}": supported values: "Background", "Foreground", "Orphan"`,
  )
}

export function checkPreconditions(
  { definition, name }: Pick<ObjectRequest, 'definition' | 'name'>,
  old: Stored,
  { preconditions }: DeleteOptions,
): void {
  const { uid, resourceVersion } = old.metadata
  // The real server speaks of the kind here, not of the resource.
  const subject = { group: definition.group, plural: definition.kind }
  if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
    throw conflict(
      subject,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    )
  }
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    throw conflict(
      subject,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    )
  }
}

function withFinalizers(object: Stored, finalizers: readonly string[]): Stored {
  const { finalizers: _, ...metadata } = object.metadata
  return {
    ...object,
    metadata: { ...metadata, ...(finalizers.length === 0 ? {} : { finalizers: [...finalizers] }) },
  }
}

function sameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at])
}
