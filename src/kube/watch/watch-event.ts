import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { errorFromWatchEvent } from '../client/errors.ts'
import type { RawWatchEvent } from '../client/transport.ts'

export type WatchEvent<T> =
  | { readonly kind: 'added' | 'modified' | 'deleted'; readonly object: T }
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }

/** An ERROR event, and anything unheard of, is thrown as a KubeError. */
export function parseWatchEvent<T>(event: RawWatchEvent): WatchEvent<T> {
  const object = event.object as T & KubernetesObject
  switch (event.type) {
    case 'ADDED':
      return { kind: 'added', object }
    case 'MODIFIED':
      return { kind: 'modified', object }
    case 'DELETED':
      return { kind: 'deleted', object }
    case 'BOOKMARK':
      return { kind: 'bookmark', resourceVersion: object.metadata.resourceVersion }
    default:
      throw errorFromWatchEvent(event.object)
  }
}
