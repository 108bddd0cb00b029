import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import { assert } from '../../runtime/assert.ts'
import { InformerPool, type InformerPoolOptions, type Whole } from './informer-pool.ts'
import type { IndexFunction } from './object-cache.ts'

const namespaceIndex = 'namespace'

/** All objects of a kind, to be followed under a single key, with what is asked for found by index. */
export function wholeKind<T extends KubernetesObject>(
  options: Omit<InformerPoolOptions<T>, 'selectionOf' | 'whole'>,
  indexes: Readonly<Record<string, IndexFunction<T>>> = {},
): InformerPool<T> {
  const all = { ...options.indexes, [namespaceIndex]: (object: T) => [namespaceOf(object)], ...indexes }
  return new InformerPool({ ...options, indexes: all, selectionOf: () => ({}) })
}

/** For a pool whose keys are namespaces. */
export function byNamespace<T extends KubernetesObject>(
  pool: InformerPool<T>,
  when: Pick<Whole<T>, 'above' | 'isWanted'>,
): Whole<T> {
  return { pool, index: namespaceIndex, keyOf: namespaceOf, ...when }
}

function namespaceOf({ metadata }: KubernetesObject): string {
  assert(metadata.namespace !== undefined, 'only kinds with namespaces are followed by namespace')
  return metadata.namespace
}
