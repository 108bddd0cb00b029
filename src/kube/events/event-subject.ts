import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { EventSubject } from './cluster-event.ts'

/** What an event is about. What a list delivers does not say its own kind, so the kind is given. */
export function eventSubject(
  { metadata }: KubernetesObject,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): EventSubject {
  const { name, namespace, uid } = metadata
  return { apiVersion, kind, metadata: { name, uid, ...(namespace === undefined ? {} : { namespace }) } }
}
