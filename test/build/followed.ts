import type { KubernetesObject } from '../../src/api/kubernetes/meta.ts'
import type { Followed } from '../../src/kube/watch/own-writes.ts'
import type { Change } from '../../src/kube/watch/object-cache.ts'

/** An informer that has seen what it is told to; `tell` is its watch. */
export function buildFollowed<T extends KubernetesObject>(
  get: (key: { readonly namespace?: string; readonly name: string }) => T | undefined,
  silentForMs: () => number = () => Number.POSITIVE_INFINITY,
): Followed<T> & { tell(change: Change<T>): void; silentForMs(): number } {
  const handlers = new Set<(change: Change<T>) => void>()
  return {
    get,
    silentForMs,
    subscribe: (handler) => {
      handlers.add(handler)
      return { [Symbol.dispose]: () => void handlers.delete(handler) }
    },
    tell: (change) => {
      for (const handler of handlers) handler(change)
    },
  }
}
