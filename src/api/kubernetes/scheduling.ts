import type { NodeSelector } from './node-selector.ts'
import type { KubernetesObject, LabelSelector } from './meta.ts'

// What a pod says about where it may run, and what it takes there.

export interface Toleration {
  readonly key?: string
  readonly operator?: string
  readonly value?: string
  readonly effect?: string
  readonly tolerationSeconds?: number
}

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
  readonly timeAdded?: string
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector
  readonly topologyKey: string
  readonly namespaces?: readonly string[]
  readonly namespaceSelector?: LabelSelector
  readonly matchLabelKeys?: readonly string[]
  readonly mismatchLabelKeys?: readonly string[]
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number
  readonly topologyKey: string
  readonly whenUnsatisfiable: string
  readonly labelSelector?: LabelSelector
  readonly minDomains?: number
  readonly nodeAffinityPolicy?: string
  readonly nodeTaintsPolicy?: string
  readonly matchLabelKeys?: readonly string[]
}

export interface PreferredNodes {
  readonly weight: number
  readonly preference: NodeSelector['nodeSelectorTerms'][number]
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly PreferredNodes[]
  }
  readonly podAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
  readonly podAntiAffinity?: { readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] }
}

export interface PriorityClass extends KubernetesObject {
  readonly value: number
}

/** Quantities by resource. */
export type Quantities = Readonly<Record<string, string | number>>

export interface ResourceRequirements {
  readonly requests?: Quantities
  readonly limits?: Quantities
}
