import type { PodSpec } from './core.ts'
import type { AnonymousMeta, LabelSelector, NamespacedObject } from './meta.ts'

/** A number, or a percentage such as `25%`. */
export type NumberOrPercent = number | string

export interface WorkloadCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface Deployment extends NamespacedObject {
  readonly spec?: {
    readonly replicas?: number
    readonly paused?: boolean
    readonly selector?: LabelSelector
    readonly minReadySeconds?: number
    readonly progressDeadlineSeconds?: number
    readonly strategy?: {
      readonly type?: 'RollingUpdate' | 'Recreate'
      readonly rollingUpdate?: { readonly maxSurge?: NumberOrPercent; readonly maxUnavailable?: NumberOrPercent }
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface ReplicaSet extends NamespacedObject {
  readonly spec?: { readonly replicas?: number; readonly minReadySeconds?: number; readonly selector?: LabelSelector }
  readonly status?: {
    readonly observedGeneration?: number
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface StatefulSet extends NamespacedObject {
  readonly spec?: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector?: LabelSelector
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel'
    readonly ordinals?: { readonly start?: number }
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete'
      readonly rollingUpdate?: { readonly maxUnavailable?: NumberOrPercent; readonly partition?: number }
    }
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly currentRevision?: string
    readonly updateRevision?: string
    readonly updatedReplicas?: number
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface DaemonSet extends NamespacedObject {
  readonly spec?: {
    readonly selector?: LabelSelector
    readonly minReadySeconds?: number
    readonly updateStrategy?: { readonly type?: 'RollingUpdate' | 'OnDelete' }
    readonly template?: { readonly metadata?: AnonymousMeta; readonly spec?: PodSpec }
  }
}
