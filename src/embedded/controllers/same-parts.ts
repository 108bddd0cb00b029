import type { ObjectMeta } from '../../api/kubernetes/meta.ts'

type MetaPart = 'labels' | 'ownerReferences' | 'finalizers' | 'deletionTimestamp' | 'deletionGracePeriodSeconds'
export type Part = 'spec' | 'status' | MetaPart

interface Compared {
  readonly metadata: ObjectMeta
  readonly spec?: unknown
  readonly status?: unknown
}

/**
 * Whether a change left these parts of an object as they were. The API server shares between two versions of an object
 * what is equal in both, so that a glance is enough: most changes concern few of those who hear of them.
 */
export function areSame(parts: readonly Part[], object: Compared, previous: Compared): boolean {
  return parts.every((part) =>
    part === 'spec' || part === 'status'
      ? object[part] === previous[part]
      : object.metadata[part] === previous.metadata[part],
  )
}
