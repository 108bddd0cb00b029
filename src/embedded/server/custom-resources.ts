import { ownKey, settled, startControlLoop } from '../controllers/control-loop.ts'
import type { ControllerParts } from '../controllers/controller.ts'
import { nameOf } from '../controllers/ownership.ts'
import { ignoring, writeObject, writeStatus } from '../controllers/outcome.ts'
import { resourceId, type ResourceDefinition } from './definition.ts'
import type { Definitions } from './definitions.ts'
import { timestamp } from './identity.ts'
import { customResources } from './kinds/custom-resource.ts'
import { withEstablishedStatus } from './kinds/custom-resource-definition.ts'
import type { Stored } from './store.ts'
import type { Next } from '../../runtime/work-queue.ts'

const crdResource = 'customresourcedefinitions.apiextensions.k8s.io'
const cleanupFinalizer = 'customresourcecleanup.apiextensions.k8s.io'
const cleanupIntervalMs = 100

/**
 * Serves the kinds of CustomResourceDefinitions: at once when one comes or changes, no more when it is gone. A
 * definition that is deleted first takes everything of its kind with it.
 */
export function serveCustomResources(parts: ControllerParts, definitions: Definitions): AsyncDisposable {
  const served = new Map<string, readonly ResourceDefinition[]>()
  const serve = (name: string, kinds: readonly ResourceDefinition[]) => {
    for (const kind of served.get(name) ?? []) definitions.remove(kind)
    for (const kind of kinds) definitions.add(kind)
    served.set(name, kinds)
  }
  for (const crd of parts.store.list(crdResource)) serve(crd.metadata.name, customResources(crd))
  const subscription = parts.store.subscribe(({ type, object, previous }) => {
    // A schema is compiled when it changes, not with every status.
    if (type !== 'DELETED' && previous !== undefined && isServedAlike(previous, object)) return
    serve(object.metadata.name, type === 'DELETED' ? [] : customResources(object))
  }, crdResource)
  const loop = startControlLoop({
    name: 'custom-resource-definitions',
    parts,
    reconcile: (name) => reconcileDefinition(parts, name),
    wakes: { [crdResource]: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)) },
  })
  return {
    [Symbol.asyncDispose]: async () => {
      subscription[Symbol.dispose]()
      await loop[Symbol.asyncDispose]()
    },
  }
}

function isServedAlike(one: Stored, other: Stored): boolean {
  return one['spec'] === other['spec'] && one.metadata.deletionTimestamp === other.metadata.deletionTimestamp
}

async function reconcileDefinition(parts: ControllerParts, name: string): Promise<Next> {
  const crd = parts.store.get(crdResource, name)
  if (crd === undefined) return settled
  if (crd.metadata.deletionTimestamp !== undefined) return await cleanUp(parts, crd)
  const { finalizers = [] } = crd.metadata
  if (!finalizers.includes(cleanupFinalizer)) {
    // Written first, so that no definition which is served can go without its objects.
    const metadata = { ...crd.metadata, finalizers: [...finalizers, cleanupFinalizer] }
    await writeObject(parts, crdResource, { ...crd, metadata })
    return settled
  }
  const established = withEstablishedStatus(crd, timestamp(parts.clock.nowMs()))
  await writeStatus(parts, crdResource, crd, established['status'] as object)
  return settled
}

async function cleanUp(parts: ControllerParts, crd: Stored): Promise<Next> {
  const { finalizers = [] } = crd.metadata
  if (!finalizers.includes(cleanupFinalizer)) return settled
  const kind = customResources(crd)[0]
  const left = kind === undefined ? [] : parts.store.list(resourceId(kind))
  for (const { metadata } of left) {
    if (metadata.deletionTimestamp !== undefined || kind === undefined) continue
    const { uid } = metadata
    await ignoring(
      ['NotFound', 'Conflict'],
      parts.api.delete(resourceId(kind), nameOf(metadata), { preconditions: { uid } }),
    )
  }
  if (left.length > 0) return { kind: 'again', atMs: parts.clock.nowMs() + cleanupIntervalMs }
  const kept = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer)
  await writeObject(parts, crdResource, { ...crd, metadata: { ...crd.metadata, finalizers: kept } })
  return settled
}
