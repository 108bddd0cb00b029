import type { KubernetesObject, LabelSelector } from './meta.ts'

export interface PodDisruptionBudget extends KubernetesObject {
  spec?: {
    minAvailable?: number | string
    maxUnavailable?: number | string
    selector?: LabelSelector
    unhealthyPodEvictionPolicy?: 'IfHealthyBudget' | 'AlwaysAllow'
  }
  status?: {
    disruptionsAllowed?: number
    currentHealthy?: number
    desiredHealthy?: number
    expectedPods?: number
    observedGeneration?: number
  }
}
