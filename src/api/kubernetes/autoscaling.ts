import type { KubernetesObject } from './meta.ts'

export interface HorizontalPodAutoscaler extends KubernetesObject {
  spec?: {
    scaleTargetRef: { apiVersion?: string; kind: string; name: string }
    minReplicas?: number
    maxReplicas: number
  }
  status?: { currentReplicas?: number; desiredReplicas?: number }
}
