import type { FieldFault } from './failure.ts'
import type { AnyObject, Identified, Stored } from './store.ts'

export interface ResourceName {
  /** Empty for the core group. */
  readonly group: string
  readonly plural: string
}

/** All that the API server needs to know of a kind. The built-in ones are in kinds/, those of CRDs are made from them. */
export interface ResourceDefinition extends ResourceName {
  readonly version: string
  readonly kind: string
  readonly singular: string
  readonly shortNames: readonly string[]
  readonly categories: readonly string[]
  readonly namespaced: boolean
  readonly subresources: readonly SubresourceDefinition[]
  /** Verbs on the kind itself, if not all of them: reviews can only be created. */
  readonly verbs?: readonly string[]
  /** Its definition is being deleted: what is there can be read, changed and deleted, and nothing can be created. */
  readonly isTerminating?: true
  /** metadata.generation counts changes of everything but metadata and status. */
  readonly countsGenerations: boolean
  /** Beside metadata.name and metadata.namespace, which every kind has. */
  readonly selectableFields: Readonly<Record<string, (object: AnyObject) => string>>
  /** Whether an update may leave the resourceVersion out. Custom resources may not. */
  readonly mayUpdateUnconditionally: boolean
  /** Columns of `kubectl get`, beside the name. */
  readonly columns: readonly ColumnDefinition[]
  /** Unknown fields go, as the real decoder drops them. Absent: everything is kept. */
  readonly prune?: (object: AnyObject) => AnyObject
  /** Fills in what the server fills in when a field is left out; called on every write, before validation. */
  readonly fillDefaults?: (object: AnyObject) => AnyObject
  /** What the server sets or resets itself on creation. */
  readonly prepareForCreate?: (object: AnyObject) => AnyObject
  /** What the server keeps from the old object, or derives, on an update of the kind itself. */
  readonly prepareForUpdate?: (object: AnyObject, old: Stored) => AnyObject
  /** What it looks like while something in it keeps it though it was deleted; undefined if nothing does. */
  readonly lingersAs?: (object: Stored) => Stored | undefined
  readonly validate?: (object: AnyObject, old: AnyObject | undefined) => readonly FieldFault[]
  /** For strategic merge patches: by which key the items of a list are merged; lists that are not here are replaced. */
  readonly mergeKeys?: MergeKeys
}

export interface SubresourceDefinition {
  readonly name: 'status' | 'scale' | 'eviction' | 'binding' | 'token'
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly verbs: readonly string[]
}

export interface ColumnDefinition {
  readonly name: string
  readonly type: 'string' | 'integer' | 'number' | 'date' | 'boolean'
  readonly format?: string
  readonly description: string
  /** Above 0: shown only by -o wide. */
  readonly priority: number
  readonly cell: (object: Identified, nowMs: number) => string | number | boolean | null
}

/** Paths are dotted, without indexes: `spec.template.spec.containers`. A primitive list merges by itself: ''. */
export type MergeKeys = Readonly<Record<string, string>>

/** `pods`, `deployments.apps`: the key of a kind in the store. */
export function resourceId({ group, plural }: ResourceName): string {
  return group === '' ? plural : `${plural}.${group}`
}
