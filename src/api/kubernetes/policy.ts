import type { NamespacedObject, LabelSelector } from './meta.ts'

export interface PodDisruptionBudget extends NamespacedObject {
  readonly spec?: {
    readonly minAvailable?: number | string
    readonly maxUnavailable?: number | string
    readonly selector?: LabelSelector
    readonly unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
  }
  readonly status?: {
    readonly disruptionsAllowed?: number
    readonly currentHealthy?: number
    readonly desiredHealthy?: number
    readonly expectedPods?: number
    readonly observedGeneration?: number
  }
}
