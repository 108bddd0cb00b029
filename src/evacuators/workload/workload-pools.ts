import type { Pod } from '../../api/kubernetes/core.ts'
import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { deployments, leases, pods, replicaSets, statefulSets, type Resource } from '../../api/kubernetes/resources.ts'
import type { Selection } from '../../kube/client/call-options.ts'
import { InformerPool, type InformerParts } from '../../kube/watch/informer-pool.ts'
import { nodeIndex, nodeOf } from '../../kube/watch/node-pods.ts'
import { PodPacking } from '../../kube/watch/packed-pods.ts'
import { keptAnnotations, slimPod } from '../../kube/watch/slim-pod.ts'
import { byNamespace, wholeKind } from '../../kube/watch/whole-kind.ts'
import { releasedFromOf } from './released-from.ts'

export const ownerIndex = 'owner'
/** With more namespaces than these, one watch of all objects is cheaper than one for each namespace. */
const namespacesMax = 100
/** So many at a time take no longer to read than others can wait. */
const pageSize = 250

/** The pods of the whole cluster, for all who need so many of them that they are better held once. */
export function allPods(parts: InformerParts): InformerPool<Pod> {
  return wholeKind<Pod>(podOptions(parts), { [nodeIndex]: (pod) => [nodeOf(pod)] })
}

/** Follows a kind by namespace, or single objects of it. Where all pods are followed, the work is as large as the cluster. */
export function openPool(
  parts: InformerParts,
  resource: Resource<KubernetesObject>,
  all: InformerPool<Pod>,
): InformerPool<KubernetesObject> {
  const when = { above: () => namespacesMax, isWanted: () => all.size > 0 }
  if (isPods(resource)) {
    const selected = { selectionOf: (namespace: string) => ({ namespace }), whole: byNamespace(all, when) }
    // What is read from it is asked for by the resource.
    return new InformerPool<Pod>({ ...podOptions(parts), ...selected }) as unknown as InformerPool<KubernetesObject>
  }
  const project = hasTemplate(resource) ? { project: slimWorkload, pageSize } : {}
  const options = { ...parts, resource, indexes: { [ownerIndex]: ownersOf }, ...project }
  return new InformerPool({
    ...options,
    selectionOf: (key) => selectionOf(resource, key),
    ...(isFollowedSingly(resource) ? {} : { whole: byNamespace(wholeKind(options), when) }),
  })
}

function podOptions(parts: InformerParts) {
  const form = { project: slimPod, packing: new PodPacking() }
  return { ...parts, resource: pods, indexes: { [ownerIndex]: ownersOf }, ...form, pageSize }
}

/** Most of a workload is what its pods look like, which they say themselves. Not of DaemonSets: the next pod is rehearsed. */
function hasTemplate(resource: Resource<KubernetesObject>): boolean {
  return [deployments, replicaSets, statefulSets].some((kind) => kindOf(kind) === kindOf(resource))
}

interface WithTemplate {
  readonly spec?: { readonly template?: unknown }
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

export function slimWorkload(object: KubernetesObject): KubernetesObject {
  const { spec = {}, status } = object as WithTemplate
  const { template: _template, ...rest } = spec
  const { annotations, ...metadata } = object.metadata
  const kept = keptAnnotations(annotations)
  return {
    ...object,
    metadata: { ...metadata, ...(kept === undefined ? {} : { annotations: kept }) },
    spec: rest,
    ...(status === undefined ? {} : { status: slimStatus(status) }),
  } as KubernetesObject
}

/** Of its conditions, the one by which it says why it has no replacement. */
function slimStatus({ conditions, ...status }: NonNullable<WithTemplate['status']>) {
  const telling = conditions?.filter(({ type, status: is }) => type === 'ReplicaFailure' && is === 'True') ?? []
  return { ...status, ...(telling.length === 0 ? {} : { conditions: telling }) }
}

/** A namespace may have a Lease for each node of the cluster. */
export function isFollowedSingly(resource: Resource<KubernetesObject>): boolean {
  return !resource.namespaced || kindOf(resource) === kindOf(leases)
}

function selectionOf(resource: Resource<KubernetesObject>, key: string): Selection {
  if (!resource.namespaced) return { fieldSelector: `metadata.name=${key}` }
  if (!isFollowedSingly(resource)) return { namespace: key }
  const [namespace = '', name = ''] = key.split('/')
  return { namespace, fieldSelector: `metadata.name=${name}` }
}

/** The UIDs of its owners, and of the Deployment that a pod was released from. */
export function ownersOf(object: KubernetesObject): string[] {
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid)
  const released = releasedFromOf(object)
  return released === undefined ? owners : [...owners, released.deployment.uid]
}

export function isPods(resource: Resource<KubernetesObject>): boolean {
  return kindOf(resource) === kindOf(pods)
}

export function kindOf({ plural, group }: Resource<KubernetesObject>): string {
  return `${plural}.${group}`
}
