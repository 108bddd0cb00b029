import type { PodRef } from '../../api/evacuation/pod-reference.ts'
import { evacuations, type Evacuation } from '../../api/evacuation/evacuation.ts'
import { withoutInstigatorFinalizers } from '../../api/evacuation/instigator-finalizers.ts'
import type { ReplicaSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { pods, replicaSets, type Resource } from '../../api/kubernetes/resources.ts'
import { finalizers, labels } from '../../api/names.ts'
import { nodeMaintenances } from '../../api/maintenance/node-maintenance.ts'
import { formerReplicaSetOf, puttingBack } from '../../evacuators/deployment/put-back-pod.ts'
import { keyOf } from '../../kube/client/client.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import { lookUntil } from '../../runtime/look-until.ts'
import { InstallationError, readObject, removeObject, type ApplyParts } from '../install/apply.ts'

/** What an object looks like to Lifeboat when it leaves: its finalizers as they should be. */
interface Held {
  readonly resource: Resource<KubernetesObject>
  readonly finalizersKept: (finalizers: readonly string[]) => string[]
  /** Before the object goes: once it is gone, what it says is lost. */
  readonly before?: (parts: ApplyParts, object: KubernetesObject) => Promise<boolean>
}

export interface Released {
  readonly objects: number
  /** Objects that others hold: they stay until those let go. */
  readonly held: readonly string[]
  readonly podsCleared: number
}

const limits = { atOnce: 10, conflictsMax: 5, forbiddenWithinMs: 10_000, tryEveryMs: 200 }

/** Ends every evacuation: no instigator waits for its pod any more, and nothing on the pod says so. */
export function releaseEvacuations(parts: ApplyParts): Promise<Released> {
  return release(parts, {
    resource: evacuations,
    finalizersKept: withoutInstigatorFinalizers,
    before: (_parts, object) => clearPodOf(parts, object as Evacuation),
  })
}

const ofMaintenances: ReadonlySet<string> = new Set([finalizers.maintenanceCompletion, finalizers.shutdownCleanUp])

export function releaseMaintenances(parts: ApplyParts): Promise<Released> {
  return release(parts, {
    resource: nodeMaintenances,
    finalizersKept: (list) => list.filter((finalizer) => !ofMaintenances.has(finalizer)),
  })
}

async function release(parts: ApplyParts, held: Held): Promise<Released> {
  const { items } = await parts.kube.list(held.resource, { signal: parts.signal })
  const stay: string[] = []
  let podsCleared = 0
  for (let from = 0; from < items.length; from += limits.atOnce) {
    const some = items.slice(from, from + limits.atOnce)
    const results = await Promise.all(some.map((object) => releaseOne(parts, held, object)))
    for (const { left, isPodCleared } of results) {
      if (left !== undefined) stay.push(left)
      if (isPodCleared) podsCleared++
    }
  }
  return { objects: items.length, held: stay, podsCleared }
}

async function releaseOne(
  parts: ApplyParts,
  held: Held,
  object: KubernetesObject,
): Promise<{ left: string | undefined; isPodCleared: boolean }> {
  const isPodCleared = (await held.before?.(parts, object)) ?? false
  const kept = await dropFinalizers(parts, held, object)
  if (kept === undefined) return { left: undefined, isPodCleared }
  await removeOnceAllowed(parts, held.resource, object)
  const { namespace, name } = object.metadata
  const where = namespace === undefined ? name : `${namespace}/${name}`
  return { left: kept.length === 0 ? undefined : `${held.resource.kind} ${where}: ${kept.join(', ')}`, isPodCleared }
}

/**
 * The API server follows a policy for up to a second after its removal, and each replica of it for as long: until then
 * ours keeps an Evacuation whose evacuator forbids cancellation.
 */
async function removeOnceAllowed(
  parts: ApplyParts,
  resource: Resource<KubernetesObject>,
  object: KubernetesObject,
): Promise<void> {
  const patience = { ...parts, withinMs: limits.forbiddenWithinMs, everyMs: limits.tryEveryMs }
  let refusal: unknown
  const isRemoved = await lookUntil(patience, async () => {
    try {
      await removeObject(parts, resource, object)
      return true
    } catch (error) {
      if (!(error instanceof InstallationError)) throw error
      refusal = error
      return undefined
    }
  })
  if (isRemoved === undefined) throw refusal
}

/** The finalizers that stay; undefined: the object is gone. */
async function dropFinalizers(
  { kube, signal }: ApplyParts,
  { resource, finalizersKept }: Held,
  listed: KubernetesObject,
): Promise<string[] | undefined> {
  let object = listed
  for (let conflicts = 0; ; conflicts++) {
    const present = object.metadata.finalizers ?? []
    const kept = finalizersKept(present)
    if (kept.length === present.length) return kept
    try {
      const { resourceVersion } = object.metadata
      const body = { metadata: { finalizers: kept, resourceVersion } }
      await kube.patch(resource, keyOf(object), { type: 'merge', body }, { signal })
      return kept
    } catch (error) {
      if (isKubeError(error, 'notFound')) return undefined
      if (!isKubeError(error, 'conflict') || conflicts >= limits.conflictsMax) throw error
    }
    const again = await unlessNotFound(kube.get(resource, keyOf(object), { signal }))
    if (again === undefined || again.metadata.uid !== listed.metadata.uid) return undefined
    object = again
  }
}

/** Undoes every release that is left, also of pods whose Evacuation is gone; resolves to how many there were. */
export async function releaseReleasedPods(parts: ApplyParts): Promise<number> {
  const { items } = await parts.kube.list(pods, { labelSelector: labels.released, signal: parts.signal })
  for (let from = 0; from < items.length; from += limits.atOnce) {
    await Promise.all(items.slice(from, from + limits.atOnce).map(({ metadata }) => clearPod(parts, metadata)))
  }
  return items.length
}

function clearPodOf(parts: ApplyParts, { metadata, spec }: Evacuation): Promise<boolean> {
  return clearPod(parts, { namespace: metadata.namespace, ...spec.podRef })
}

/** True: something of Lifeboat's was on it. */
async function clearPod(parts: ApplyParts, { namespace, name, uid }: PodRef): Promise<boolean> {
  const key = { namespace, name }
  for (let conflicts = 0; ; conflicts++) {
    const pod = await readObject(parts, pods, key)
    if (pod === undefined || pod.metadata.uid !== uid) return false
    const change = puttingBack(pod, await formerReplicaSet(parts, pod))
    if (change === undefined) return false
    const body = { metadata: { ...change, uid, resourceVersion: pod.metadata.resourceVersion } }
    try {
      await parts.kube.patch(pods, key, { type: 'merge', body }, { signal: parts.signal })
      return true
    } catch (error) {
      if (!isKubeError(error, 'notFound', 'conflict') || conflicts >= limits.conflictsMax) throw error
    }
  }
}

async function formerReplicaSet(parts: ApplyParts, pod: Pod): Promise<ReplicaSet | undefined> {
  const name = formerReplicaSetOf(pod)
  return name === undefined
    ? undefined
    : await readObject(parts, replicaSets, { namespace: pod.metadata.namespace, name })
}
