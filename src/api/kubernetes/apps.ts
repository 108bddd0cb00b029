import type { PodSpec } from './core.ts'
import type { KubernetesObject, LabelSelector, ObjectMeta } from './meta.ts'

/** A number, or a percentage such as `25%`. */
export type NumberOrPercent = number | string

export interface WorkloadCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
}

export interface Deployment extends KubernetesObject {
  spec?: {
    replicas?: number
    paused?: boolean
    selector?: LabelSelector
    minReadySeconds?: number
    progressDeadlineSeconds?: number
    strategy?: {
      type?: 'RollingUpdate' | 'Recreate'
      rollingUpdate?: { maxSurge?: NumberOrPercent; maxUnavailable?: NumberOrPercent }
    }
  }
  status?: {
    observedGeneration?: number
    replicas?: number
    readyReplicas?: number
    availableReplicas?: number
    conditions?: WorkloadCondition[]
  }
}

export interface ReplicaSet extends KubernetesObject {
  spec?: { replicas?: number; minReadySeconds?: number; selector?: LabelSelector }
  status?: {
    observedGeneration?: number
    replicas?: number
    readyReplicas?: number
    availableReplicas?: number
    conditions?: WorkloadCondition[]
  }
}

export interface StatefulSet extends KubernetesObject {
  spec?: {
    replicas?: number
    minReadySeconds?: number
    selector?: LabelSelector
    podManagementPolicy?: 'OrderedReady' | 'Parallel'
    ordinals?: { start?: number }
    updateStrategy?: {
      type?: 'RollingUpdate' | 'OnDelete'
      rollingUpdate?: { maxUnavailable?: NumberOrPercent; partition?: number }
    }
  }
  status?: {
    observedGeneration?: number
    currentRevision?: string
    updateRevision?: string
    updatedReplicas?: number
    replicas?: number
    readyReplicas?: number
    availableReplicas?: number
    conditions?: WorkloadCondition[]
  }
}

export interface DaemonSet extends KubernetesObject {
  spec?: {
    selector?: LabelSelector
    minReadySeconds?: number
    updateStrategy?: { type?: 'RollingUpdate' | 'OnDelete' }
    template?: { metadata?: ObjectMeta; spec?: PodSpec }
  }
}
