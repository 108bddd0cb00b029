import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Wake } from '../../runtime/control-loop.ts'
import { keyOfObject, type Change, type Changing } from './object-cache.ts'

// What wakes the keys of a control loop, made of informers.

/** The objects themselves: those that are there, and whichever changes. */
export function objectsOf<T extends KubernetesObject>(
  source: Changing<T> & { list(): readonly T[] },
  keyOf: (object: T) => string | undefined = keyOfObject,
): Wake {
  return {
    open: (add) => {
      const addOne = (object: T) => {
        const key = keyOf(object)
        if (key !== undefined) add(key)
      }
      const subscription = source.subscribe(({ object }) => addOne(object))
      for (const object of source.list()) addOne(object)
      return subscription
    },
  }
}

/** The keys that a change concerns. */
export function changesOf<T extends KubernetesObject>(
  source: Changing<T>,
  keysOf: (change: Change<T>) => Iterable<string>,
): Wake {
  return {
    open: (add) =>
      source.subscribe((change) => {
        for (const key of keysOf(change)) add(key)
      }),
  }
}

/** The keys that wait for a node. */
export function nodesOf(
  source: { subscribe(handler: (node: string) => void): Disposable },
  keysOf: (node: string) => Iterable<string>,
): Wake {
  return {
    open: (add) =>
      source.subscribe((node) => {
        for (const key of keysOf(node)) add(key)
      }),
  }
}
