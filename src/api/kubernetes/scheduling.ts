import type { NodeSelector } from './node-selector.ts'
import type { KubernetesObject, LabelSelector } from './meta.ts'

// What a pod says about where it may run, and what it takes there.

export interface Toleration {
  key?: string
  operator?: string
  value?: string
  effect?: string
  tolerationSeconds?: number
}

export interface Taint {
  key: string
  value?: string
  effect: string
  timeAdded?: string
}

export interface PodAffinityTerm {
  labelSelector?: LabelSelector
  topologyKey: string
  namespaces?: string[]
  namespaceSelector?: LabelSelector
  matchLabelKeys?: string[]
  mismatchLabelKeys?: string[]
}

export interface TopologySpreadConstraint {
  maxSkew: number
  topologyKey: string
  whenUnsatisfiable: string
  labelSelector?: LabelSelector
  minDomains?: number
  nodeAffinityPolicy?: string
  nodeTaintsPolicy?: string
  matchLabelKeys?: string[]
}

export interface PreferredNodes {
  weight: number
  preference: NodeSelector['nodeSelectorTerms'][number]
}

export interface Affinity {
  nodeAffinity?: {
    requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector
    preferredDuringSchedulingIgnoredDuringExecution?: PreferredNodes[]
  }
  podAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] }
  podAntiAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[] }
}

export interface PriorityClass extends KubernetesObject {
  value: number
}

/** Quantities by resource. */
export type Quantities = Record<string, string | number>

export interface ResourceRequirements {
  requests?: Quantities
  limits?: Quantities
}
