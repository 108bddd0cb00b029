import type { Clock } from '../../../runtime/clock.ts'
import type { RandomStream } from '../../../runtime/random.ts'
import type { Admission } from '../admission/admission.ts'
import type { ResourceDefinition } from '../definition.ts'
import type { ApiRequest } from '../request.ts'
import type { Store } from '../store.ts'

/** What every verb works with. */
export interface ServerParts {
  readonly store: Store
  readonly clock: Clock
  /** Where UIDs and generated names come from. */
  readonly identities: RandomStream
  readonly admission: Admission
}

/** A request on a kind that the server knows: whatever the path said, looked up. */
export interface ResourceRequest {
  readonly request: ApiRequest
  readonly definition: ResourceDefinition
  readonly namespace: string | undefined
  /** Undefined: the collection. */
  readonly name: string | undefined
  readonly subresource: string | undefined
  readonly dryRun: boolean
}

/** A request on one object, not on the collection. */
export interface ObjectRequest extends ResourceRequest {
  readonly name: string
}

export interface NamespacedObjectRequest extends ObjectRequest {
  readonly namespace: string
}

export function namesObject(target: ResourceRequest): target is ObjectRequest {
  return target.name !== undefined
}

export function namesNamespacedObject(target: ResourceRequest): target is NamespacedObjectRequest {
  return namesObject(target) && target.namespace !== undefined
}
