/** What a watch delivered is shared by everyone who reads the cache, so nobody may change it. */
export type DeepReadonly<T> = T extends (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T

export interface ObjectMeta {
  name?: string
  generateName?: string
  namespace?: string
  uid?: string
  resourceVersion?: string
  generation?: number
  creationTimestamp?: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  ownerReferences?: OwnerReference[]
  finalizers?: string[]
}

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

export interface KubernetesObject {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

export interface ListMeta {
  resourceVersion?: string
  continue?: string
  remainingItemCount?: number
}

export interface KubernetesList<T> {
  apiVersion?: string
  kind?: string
  metadata: ListMeta
  items: T[]
}

export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  observedGeneration?: number
  lastTransitionTime: string
  reason: string
  message: string
}

export interface LabelSelector {
  matchLabels?: Record<string, string>
  matchExpressions?: LabelSelectorRequirement[]
}

export interface LabelSelectorRequirement {
  key: string
  operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  values?: string[]
}

/** What the API server answers when it does not answer with an object. */
export interface Status {
  apiVersion?: 'v1'
  kind?: 'Status'
  status?: 'Success' | 'Failure'
  message?: string
  reason?: string
  code?: number
  details?: StatusDetails
}

export interface StatusDetails {
  name?: string
  group?: string
  kind?: string
  uid?: string
  causes?: StatusCause[]
  retryAfterSeconds?: number
}

export interface StatusCause {
  reason?: string
  message?: string
  field?: string
}
