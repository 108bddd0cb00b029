import type { ObjectMeta } from '../../api/kubernetes/meta.ts'
import { ControlLoop, type Wake } from '../../runtime/control-loop.ts'
import { type Next } from '../../runtime/work-queue.ts'
import { keyOf, type Stored, type StoreEvent } from '../server/store.ts'
import type { ControllerParts } from './controller.ts'

export const settled: Next = { kind: 'settled' }

/** Which keys a change of an object wakes. `previous` is undefined for what is new, or was there before we started. */
export type Wakes = (object: Stored, previous: Stored | undefined, type: StoreEvent['type']) => Iterable<string>

export interface ControlLoopOptions {
  readonly name: string
  readonly parts: ControllerParts
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<Next>
  /** By the store's name of the kind. */
  readonly wakes: Readonly<Record<string, Wakes>>
  /** How many keys are worked on at once. */
  readonly concurrency?: number
}

/** Follows the store from now on, and begins with all that is in it. */
export function startControlLoop({ name, parts, reconcile, wakes, concurrency = 4 }: ControlLoopOptions): ControlLoop {
  const { store } = parts
  const kinds = Object.entries(wakes).map(([resource, keysOf]) => kindOf(store, resource, keysOf))
  return new ControlLoop({ ...parts, name: `embedded/${name}`, concurrency, reconcile, wakes: kinds })
}

function kindOf(store: ControllerParts['store'], resource: string, keysOf: Wakes): Wake {
  return {
    open: (add) => {
      const addAll = (keys: Iterable<string>) => {
        for (const key of keys) add(key)
      }
      const subscription = store.subscribe(
        ({ object, previous, type }) => addAll(keysOf(object, previous, type)),
        resource,
      )
      for (const object of store.list(resource)) addAll(keysOf(object, undefined, 'ADDED'))
      return subscription
    },
  }
}

/** For kinds whose own key is to be worked on. */
export function ownKey({ metadata }: { readonly metadata: Pick<ObjectMeta, 'namespace' | 'name'> }): string[] {
  return [keyOf(metadata)]
}

/** Comes back at the earliest of the times; never, without one. */
export function againAt(...timesMs: readonly (number | undefined)[]): Next {
  const known = timesMs.filter((timeMs) => timeMs !== undefined)
  return known.length === 0 ? settled : { kind: 'again', atMs: Math.min(...known) }
}

export function namesOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/')
  return { namespace: key.slice(0, Math.max(0, slash)), name: key.slice(slash + 1) }
}

/** Ends the loop first, then what it follows. */
export function ending(loop: ControlLoop, followed: Disposable): AsyncDisposable {
  return {
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]()
      followed[Symbol.dispose]()
    },
  }
}
