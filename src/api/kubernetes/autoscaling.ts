import type { NamespacedObject } from './meta.ts'

export interface HorizontalPodAutoscaler extends NamespacedObject {
  readonly spec?: {
    readonly scaleTargetRef: { readonly apiVersion?: string; readonly kind: string; readonly name: string }
    readonly minReplicas?: number
    readonly maxReplicas: number
  }
  readonly status?: { readonly currentReplicas?: number; readonly desiredReplicas?: number }
}
