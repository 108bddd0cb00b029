import type { DeepReadonly, LabelSelector, ObjectMeta } from '../../api/kubernetes/meta.ts'
import type {
  Affinity,
  ResourceRequirements,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../api/kubernetes/scheduling.ts'

// The fields that controllers read. Objects have more, and keep them: a controller changes a copy of the whole object.

interface Meta {
  apiVersion?: string
  kind?: string
  metadata: ObjectMeta
}

interface Container {
  name: string
  image?: string
  restartPolicy?: string
  resources?: ResourceRequirements
  ports?: { name?: string; containerPort: number; hostPort?: number; hostIP?: string; protocol?: string }[]
}

interface PodSpec {
  nodeName?: string
  nodeSelector?: Record<string, string>
  affinity?: Affinity
  tolerations?: Toleration[]
  topologySpreadConstraints?: TopologySpreadConstraint[]
  schedulingGates?: { name: string }[]
  schedulerName?: string
  priority?: number
  restartPolicy?: string
  hostNetwork?: boolean
  subdomain?: string
  hostname?: string
  terminationGracePeriodSeconds?: number
  readinessGates?: { conditionType: string }[]
  containers?: Container[]
  initContainers?: Container[]
  overhead?: Record<string, string | number>
  volumes?: { name: string; [source: string]: unknown }[]
}

interface ContainerStatus {
  name: string
  image?: string
  ready?: boolean
  restartCount?: number
  state?: {
    waiting?: { reason?: string; message?: string }
    running?: { startedAt?: string }
    terminated?: { exitCode: number; reason?: string }
  }
  lastState?: unknown
}

export type PodCondition = DeepReadonly<{
  type: string
  status: string
  reason?: string
  message?: string
  lastProbeTime?: string | null
  lastTransitionTime?: string
}>

interface PodStatus {
  phase?: string
  reason?: string
  conditions?: PodCondition[]
  containerStatuses?: ContainerStatus[]
  podIP?: string
  startTime?: string
}

export type PodTemplate = DeepReadonly<{
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string>; finalizers?: string[] }
  spec?: PodSpec
}>

export type Pod = DeepReadonly<Meta & { spec?: PodSpec; status?: PodStatus }>

export type Node = DeepReadonly<
  Meta & {
    spec?: { unschedulable?: boolean; taints?: Taint[] }
    status?: {
      allocatable?: Record<string, string | number>
      capacity?: Record<string, string | number>
      addresses?: { type: string; address: string }[]
      nodeInfo?: { kubeletVersion?: string }
      conditions?: (PodCondition & { lastHeartbeatTime?: string })[]
    }
  }
>

export type WorkloadCondition = DeepReadonly<{
  type: string
  status: string
  reason?: string
  message?: string
  lastUpdateTime?: string
  lastTransitionTime?: string
}>

export type ReplicaSet = DeepReadonly<
  Meta & {
    spec?: { replicas?: number; minReadySeconds?: number; selector?: LabelSelector; template?: PodTemplate }
    status?: {
      replicas?: number
      readyReplicas?: number
      availableReplicas?: number
      fullyLabeledReplicas?: number
      terminatingReplicas?: number
      observedGeneration?: number
      conditions?: WorkloadCondition[]
    }
  }
>

export interface RollingUpdate {
  maxSurge?: number | string
  maxUnavailable?: number | string
}

export type Deployment = DeepReadonly<
  Meta & {
    spec?: {
      replicas?: number
      selector?: LabelSelector
      template?: PodTemplate
      strategy?: { type?: string; rollingUpdate?: RollingUpdate }
      minReadySeconds?: number
      revisionHistoryLimit?: number
      paused?: boolean
      progressDeadlineSeconds?: number
    }
    status?: {
      replicas?: number
      updatedReplicas?: number
      readyReplicas?: number
      availableReplicas?: number
      unavailableReplicas?: number
      terminatingReplicas?: number
      observedGeneration?: number
      collisionCount?: number
      conditions?: WorkloadCondition[]
    }
  }
>

export type DaemonSet = DeepReadonly<
  Meta & {
    spec?: {
      selector?: LabelSelector
      template?: PodTemplate
      updateStrategy?: { type?: string; rollingUpdate?: RollingUpdate }
      minReadySeconds?: number
      revisionHistoryLimit?: number
    }
    status?: { observedGeneration?: number; conditions?: WorkloadCondition[] } & Record<string, unknown>
  }
>

export type StatefulSet = DeepReadonly<
  Meta & {
    spec?: {
      replicas?: number
      serviceName?: string
      selector?: LabelSelector
      template?: PodTemplate
      podManagementPolicy?: string
      updateStrategy?: { type?: string; rollingUpdate?: { partition?: number; maxUnavailable?: number | string } }
      minReadySeconds?: number
      revisionHistoryLimit?: number
      ordinals?: { start?: number }
      volumeClaimTemplates?: { metadata?: { name?: string } }[]
    }
    status?: {
      observedGeneration?: number
      currentRevision?: string
      updateRevision?: string
      collisionCount?: number
      replicas?: number
    } & Record<string, unknown>
  }
>

export type ControllerRevision = DeepReadonly<Meta & { revision?: number; data?: unknown }>

export type Job = DeepReadonly<
  Meta & {
    spec?: {
      completions?: number
      parallelism?: number
      backoffLimit?: number
      suspend?: boolean
      completionMode?: string
      activeDeadlineSeconds?: number
      ttlSecondsAfterFinished?: number
      podReplacementPolicy?: string
      selector?: LabelSelector
      template?: PodTemplate
    }
    status?: {
      active?: number
      ready?: number
      succeeded?: number
      failed?: number
      terminating?: number
      startTime?: string
      completionTime?: string
      completedIndexes?: string
      uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] }
      conditions?: WorkloadCondition[]
    }
  }
>

export type HorizontalPodAutoscaler = DeepReadonly<
  Meta & {
    spec?: {
      minReplicas?: number
      maxReplicas?: number
      scaleTargetRef?: { apiVersion?: string; kind: string; name: string }
    }
    status?: { lastScaleTime?: string; conditions?: WorkloadCondition[] } & Record<string, unknown>
  }
>

export type Service = DeepReadonly<
  Meta & {
    spec?: {
      selector?: Record<string, string>
      type?: string
      publishNotReadyAddresses?: boolean
      ports?: {
        name?: string
        port: number
        protocol?: string
        targetPort?: number | string
        appProtocol?: string
      }[]
    }
  }
>

export type Lease = DeepReadonly<
  Meta & { spec?: { holderIdentity?: string; renewTime?: string; leaseDurationSeconds?: number } }
>

export type Namespace = DeepReadonly<Meta & { spec?: { finalizers?: string[] }; status?: { phase?: string } }>
