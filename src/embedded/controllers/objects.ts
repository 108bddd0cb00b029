import type { KubernetesObject, LabelSelector, NamespacedObject } from '../../api/kubernetes/meta.ts'
import type {
  Affinity,
  ResourceRequirements,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../api/kubernetes/scheduling.ts'

// The fields that controllers read. Objects have more, and keep them: a controller changes a copy of the whole object.

interface Container {
  readonly name: string
  readonly image?: string
  readonly restartPolicy?: string
  readonly resources?: ResourceRequirements
  readonly ports?: readonly {
    readonly name?: string
    readonly containerPort: number
    readonly hostPort?: number
    readonly hostIP?: string
    readonly protocol?: string
  }[]
}

interface PodSpec {
  readonly nodeName?: string
  readonly nodeSelector?: Readonly<Readonly<Record<string, string>>>
  readonly affinity?: Affinity
  readonly tolerations?: readonly Toleration[]
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly schedulerName?: string
  readonly priority?: number
  readonly restartPolicy?: string
  readonly hostNetwork?: boolean
  readonly subdomain?: string
  readonly hostname?: string
  readonly terminationGracePeriodSeconds?: number
  readonly readinessGates?: readonly { readonly conditionType: string }[]
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly overhead?: Readonly<Record<string, string | number>>
  readonly volumes?: readonly { readonly name: string; readonly [source: string]: unknown }[]
}

interface ContainerStatus {
  readonly name: string
  readonly image?: string
  readonly ready?: boolean
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly running?: { readonly startedAt?: string }
    readonly terminated?: { readonly exitCode: number; readonly reason?: string }
  }
  readonly lastState?: unknown
}

export type PodCondition = {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string
}

interface PodStatus {
  readonly phase?: string
  readonly reason?: string
  readonly conditions?: readonly PodCondition[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly podIP?: string
  readonly startTime?: string
}

export type PodTemplate = {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
    readonly finalizers?: readonly string[]
  }
  readonly spec?: PodSpec
}

export type Pod = NamespacedObject & { readonly spec?: PodSpec; readonly status?: PodStatus }

export type Node = KubernetesObject & {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] }
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string | number>>
    readonly capacity?: Readonly<Record<string, string | number>>
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly nodeInfo?: { readonly kubeletVersion?: string }
    readonly conditions?: readonly (PodCondition & { readonly lastHeartbeatTime?: string })[]
  }
}

export type WorkloadCondition = {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
  readonly lastUpdateTime?: string
  readonly lastTransitionTime?: string
}

export type ReplicaSet = NamespacedObject & {
  readonly spec?: {
    readonly replicas?: number
    readonly minReadySeconds?: number
    readonly selector?: LabelSelector
    readonly template?: PodTemplate
  }
  readonly status?: {
    readonly replicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly fullyLabeledReplicas?: number
    readonly terminatingReplicas?: number
    readonly observedGeneration?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export interface RollingUpdate {
  readonly maxSurge?: number | string
  readonly maxUnavailable?: number | string
}

export type Deployment = NamespacedObject & {
  readonly spec?: {
    readonly replicas?: number
    readonly selector?: LabelSelector
    readonly template?: PodTemplate
    readonly strategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly paused?: boolean
    readonly progressDeadlineSeconds?: number
  }
  readonly status?: {
    readonly replicas?: number
    readonly updatedReplicas?: number
    readonly readyReplicas?: number
    readonly availableReplicas?: number
    readonly unavailableReplicas?: number
    readonly terminatingReplicas?: number
    readonly observedGeneration?: number
    readonly collisionCount?: number
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export type DaemonSet = NamespacedObject & {
  readonly spec?: {
    readonly selector?: LabelSelector
    readonly template?: PodTemplate
    readonly updateStrategy?: { readonly type?: string; readonly rollingUpdate?: RollingUpdate }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly conditions?: readonly WorkloadCondition[]
  } & Readonly<Record<string, unknown>>
}

export type StatefulSet = NamespacedObject & {
  readonly spec?: {
    readonly replicas?: number
    readonly serviceName?: string
    readonly selector?: LabelSelector
    readonly template?: PodTemplate
    readonly podManagementPolicy?: string
    readonly updateStrategy?: {
      readonly type?: string
      readonly rollingUpdate?: { readonly partition?: number; readonly maxUnavailable?: number | string }
    }
    readonly minReadySeconds?: number
    readonly revisionHistoryLimit?: number
    readonly ordinals?: { readonly start?: number }
    readonly volumeClaimTemplates?: readonly { readonly metadata?: { readonly name?: string } }[]
  }
  readonly status?: {
    readonly observedGeneration?: number
    readonly currentRevision?: string
    readonly updateRevision?: string
    readonly collisionCount?: number
    readonly replicas?: number
  } & Readonly<Record<string, unknown>>
}

export type ControllerRevision = NamespacedObject & { readonly revision?: number; readonly data?: unknown }

export type Job = NamespacedObject & {
  readonly spec?: {
    readonly completions?: number
    readonly parallelism?: number
    readonly backoffLimit?: number
    readonly suspend?: boolean
    readonly completionMode?: string
    readonly activeDeadlineSeconds?: number
    readonly ttlSecondsAfterFinished?: number
    readonly podReplacementPolicy?: string
    readonly selector?: LabelSelector
    readonly template?: PodTemplate
  }
  readonly status?: {
    readonly active?: number
    readonly ready?: number
    readonly succeeded?: number
    readonly failed?: number
    readonly terminating?: number
    readonly startTime?: string
    readonly completionTime?: string
    readonly completedIndexes?: string
    readonly uncountedTerminatedPods?: { readonly succeeded?: readonly string[]; readonly failed?: readonly string[] }
    readonly conditions?: readonly WorkloadCondition[]
  }
}

export type HorizontalPodAutoscaler = NamespacedObject & {
  readonly spec?: {
    readonly minReplicas?: number
    readonly maxReplicas?: number
    readonly scaleTargetRef?: { readonly apiVersion?: string; readonly kind: string; readonly name: string }
  }
  readonly status?: { readonly lastScaleTime?: string; readonly conditions?: readonly WorkloadCondition[] } & Readonly<
    Record<string, unknown>
  >
}

export type Service = NamespacedObject & {
  readonly spec?: {
    readonly selector?: Readonly<Record<string, string>>
    readonly type?: string
    readonly publishNotReadyAddresses?: boolean
    readonly ports?: {
      readonly name?: string
      readonly port: number
      readonly protocol?: string
      readonly targetPort?: number | string
      readonly appProtocol?: string
    }[]
  }
}

export type Lease = NamespacedObject & {
  readonly spec?: {
    readonly holderIdentity?: string
    readonly renewTime?: string
    readonly leaseDurationSeconds?: number
  }
}

export type Namespace = KubernetesObject & {
  readonly spec?: { readonly finalizers?: readonly string[] }
  readonly status?: { readonly phase?: string }
}
