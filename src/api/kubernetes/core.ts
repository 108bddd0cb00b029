import type { KubernetesObject } from './meta.ts'
import type { Taint, Toleration } from './scheduling.ts'

export interface Pod extends KubernetesObject {
  spec?: PodSpec
  status?: PodStatus
}

export interface PodSpec {
  nodeName?: string
  priority?: number
  priorityClassName?: string
  terminationGracePeriodSeconds?: number
  schedulingGates?: { name: string }[]
  affinity?: { nodeAffinity?: NodeAffinity }
  tolerations?: Toleration[]
  containers: { name: string; image?: string }[]
  volumes?: { name: string; persistentVolumeClaim?: { claimName: string }; ephemeral?: unknown }[]
}

export interface NodeAffinity {
  requiredDuringSchedulingIgnoredDuringExecution?: {
    nodeSelectorTerms?: { matchFields?: { key: string; operator: string; values?: string[] }[] }[]
  }
}

export interface PodStatus {
  phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  reason?: string
  message?: string
  conditions?: PodCondition[]
  initContainerStatuses?: ContainerStatus[]
  containerStatuses?: ContainerStatus[]
  podIP?: string
  startTime?: string
}

export interface PodCondition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  reason?: string
  message?: string
  lastTransitionTime?: string
}

export interface ContainerStatus {
  name: string
  ready: boolean
  restartCount: number
  state?: {
    waiting?: { reason?: string; message?: string }
    running?: { startedAt?: string }
    terminated?: { exitCode: number; reason?: string; message?: string }
  }
}

export interface PersistentVolumeClaim extends KubernetesObject {
  spec?: { accessModes?: string[]; storageClassName?: string }
}

export interface Node extends KubernetesObject {
  spec?: NodeSpec
  status?: { conditions?: PodCondition[]; nodeInfo?: { bootID?: string } }
}

export interface NodeSpec {
  unschedulable?: boolean
  taints?: Taint[]
}

export type Namespace = KubernetesObject

export interface ConfigMap extends KubernetesObject {
  data?: Record<string, string>
}

export interface Secret extends KubernetesObject {
  type?: string
  /** In base64. */
  data?: Record<string, string>
}

export interface ServiceAccount extends KubernetesObject {
  automountServiceAccountToken?: boolean
}

/** The Event of core/v1, not of events.k8s.io: the KEPs name its involvedObject. */
export interface Event extends KubernetesObject {
  involvedObject: {
    apiVersion?: string
    kind?: string
    namespace?: string
    name?: string
    uid?: string
    resourceVersion?: string
  }
  reason?: string
  message?: string
  type?: string
  count?: number
  firstTimestamp?: string
  lastTimestamp?: string
  source?: { component?: string; host?: string }
  reportingComponent?: string
  reportingInstance?: string
}
