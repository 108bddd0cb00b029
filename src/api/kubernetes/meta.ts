/** Of an object that the API server has stored: who it is, and in which version. */
export interface ObjectMeta {
  readonly name: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid: string
  readonly resourceVersion: string
  readonly generation?: number
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: number
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly ownerReferences?: readonly OwnerReference[]
  readonly finalizers?: readonly string[]
}

export interface NamespacedMeta extends ObjectMeta {
  readonly namespace: string
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** An object that the API server has stored. */
export interface KubernetesObject {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ObjectMeta
}

export interface NamespacedObject extends KubernetesObject {
  readonly metadata: NamespacedMeta
}

/** What can be sent to the API server without knowing more of the kind. */
export interface Manifest {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: NewMeta
}

/** An object as its builder made it: the API server has not given it a UID and a version yet. */
export type New<T extends KubernetesObject> = Omit<T, 'metadata'> & { readonly metadata: NewMeta<T['metadata']> }

/** An object that may have no name yet, as admission sees it: what can be said of it by its marks. */
export type Anonymous<T extends KubernetesObject> = Omit<T, 'metadata'> & { readonly metadata: AnonymousMeta }

export type AnonymousMeta = Omit<ObjectMeta, 'name' | 'uid' | 'resourceVersion'>

/** The same for an object that leaves its name to the API server. */
export type Unnamed<T extends KubernetesObject> = Omit<T, 'metadata'> & {
  readonly metadata: Omit<NewMeta<T['metadata']>, 'name'> & { readonly generateName: string }
}

export type NewMeta<Meta extends ObjectMeta = ObjectMeta> = Omit<Meta, 'uid' | 'resourceVersion'> &
  Partial<Pick<Meta, 'uid' | 'resourceVersion'>>

export interface ListMeta {
  readonly resourceVersion?: string
  readonly continue?: string
  readonly remainingItemCount?: number
}

export interface KubernetesList<T> {
  readonly apiVersion?: string
  readonly kind?: string
  readonly metadata: ListMeta
  readonly items: readonly T[]
}

export interface Condition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastTransitionTime: string
  readonly reason: string
  readonly message: string
}

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>
  readonly matchExpressions?: readonly LabelSelectorRequirement[]
}

export interface LabelSelectorRequirement {
  readonly key: string
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist'
  readonly values?: readonly string[]
}

/** What the API server answers when it does not answer with an object. */
export interface Status {
  readonly apiVersion?: 'v1'
  readonly kind?: 'Status'
  readonly status?: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly code?: number
  readonly details?: StatusDetails
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}
