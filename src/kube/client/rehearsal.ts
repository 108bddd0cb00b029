import type { KubernetesObject, New, Unnamed } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Kube } from './client.ts'
import { isKubeError, type KubeError } from './errors.ts'

/** What the API server would do with a new object, found out by a dry run. */
export type Rehearsal<T extends KubernetesObject> =
  /** As it would be stored. */
  | { readonly kind: 'admitted'; readonly object: T }
  /** In the words of the API server. */
  | { readonly kind: 'refused'; readonly message: string }
  /** The answer says nothing about the object. */
  | { readonly kind: 'inconclusive'; readonly message: string }

/** Throws where there is no answer, or none that would be the same a moment later. */
export async function rehearseCreation<T extends KubernetesObject>(
  kube: Pick<Kube, 'create'>,
  resource: Resource<T>,
  object: New<T> | Unnamed<T>,
  signal?: AbortSignal,
): Promise<Rehearsal<T>> {
  try {
    const created = await kube.create(resource, object, { dryRun: true, signal })
    return { kind: 'admitted', object: created }
  } catch (error) {
    if (!isKubeError(error, 'badRequest', 'forbidden', 'invalid', 'notFound', 'conflict')) throw error
    return { kind: isInconclusive(error) ? 'inconclusive' : 'refused', message: error.message }
  }
}

/** Told by words alone: for most refusals Kubernetes has the one reason Forbidden. */
const inconclusive: readonly RegExp[] = [
  // By RBAC. Admission names the object: `pods "logs-" is forbidden: ...`.
  /^\S+ is forbidden: User ".*" cannot create resource /,
  // The dry run counts the object beside the one whose place it would take.
  /exceeded quota: /,
  // A webhook that is not Lifeboat's, registered before Kubernetes asked for that.
  /does not support dry run/,
]

function isInconclusive({ message }: KubeError): boolean {
  return inconclusive.some((words) => words.test(message))
}
