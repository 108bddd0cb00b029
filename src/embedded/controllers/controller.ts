import type { Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import type { DeleteOptions } from '../server/verbs/delete.ts'
import type { AnyObject, Store, Stored } from '../server/store.ts'

/** What a controller of the embedded cluster works with: it reads the store, and writes like any other client. */
export interface ControllerParts {
  /** Read only. */
  readonly store: Pick<Store, 'get' | 'list' | 'values' | 'resources' | 'count' | 'subscribe' | 'revision'>
  readonly api: ControllerApi
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** Writes through the API server: defaults, admission, quotas and webhooks included. Refusals are ApiFailures. */
export interface ControllerApi {
  /** `resource` is the store's name of the kind: `pods`, `replicasets.apps`. */
  create(resource: string, object: AnyObject): Promise<Stored>
  /** The object carries its resourceVersion; `subresource` is `status`, or nothing. */
  replace(resource: string, object: Stored, subresource?: 'status'): Promise<Stored>
  mergePatch(resource: string, key: ObjectName, patch: unknown, subresource?: 'status'): Promise<Stored>
  delete(resource: string, key: ObjectName, options?: DeleteOptions): Promise<void>
  bind(pod: ObjectName, nodeName: string): Promise<void>
  /** Whether there is such a kind. */
  serves(apiVersion: string, kind: string): boolean
}

export interface ObjectName {
  readonly namespace?: string
  readonly name: string
}

/** Begins to follow the cluster; disposing it ends all that it does, timers included. */
export type StartController = (parts: ControllerParts) => AsyncDisposable
