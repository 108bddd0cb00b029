import type { ResourceDefinition } from '../definition.ts'
import type { User } from '../request.ts'
import type { AnyObject, Stored } from '../store.ts'

/** What an admission plugin is told about a request. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT'
  readonly definition: ResourceDefinition
  readonly subresource: string | undefined
  readonly namespace: string | undefined
  readonly name: string | undefined
  readonly user: User
  readonly dryRun: boolean
  /** The kind of what is sent: a pod's eviction sends an Eviction. */
  readonly object: AnyObject | undefined
  readonly oldObject: Stored | undefined
  /** CreateOptions, UpdateOptions, DeleteOptions, as they came. */
  readonly options: Readonly<Record<string, unknown>> | undefined
}

/** The whole chain. Each part throws an ApiFailure to refuse; warnings go to the client. */
export interface Admission {
  /** Runs the mutating part: what the object becomes. */
  mutate(request: AdmissionRequest, warnings: string[]): Promise<AnyObject | undefined>
  /** Runs the validating part, on what will be stored. */
  validate(request: AdmissionRequest, warnings: string[]): Promise<void>
}

/** Lets everything through as it is. */
export const noAdmission: Admission = { mutate: async ({ object }) => object, validate: async () => {} }
