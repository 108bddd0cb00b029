import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type {
  Affinity,
  Quantities,
  ResourceRequirements,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../../api/kubernetes/scheduling.ts'

// Pods and nodes with the fields that the descheduler reads.

interface Container {
  name: string
  image?: string
  restartPolicy?: string
  ports?: { hostPort?: number; protocol?: string; hostIP?: string }[]
  resources?: ResourceRequirements
}

interface Volume {
  name: string
  hostPath?: unknown
  emptyDir?: unknown
  persistentVolumeClaim?: { claimName: string }
  ephemeral?: unknown
}

export interface ContainerStatus {
  name: string
  restartCount?: number
  state?: {
    waiting?: { reason?: string }
    terminated?: { exitCode?: number; reason?: string }
  }
}

export interface SourcePod extends KubernetesObject {
  spec?: {
    nodeName?: string
    priority?: number
    nodeSelector?: Record<string, string>
    affinity?: Affinity
    tolerations?: Toleration[]
    topologySpreadConstraints?: TopologySpreadConstraint[]
    containers?: Container[]
    initContainers?: Container[]
    resources?: ResourceRequirements
    overhead?: Quantities
    volumes?: Volume[]
    resourceClaims?: unknown[]
  }
  status?: {
    phase?: string
    reason?: string
    qosClass?: string
    startTime?: string
    conditions?: { type: string; status: string; reason?: string; lastTransitionTime?: string | null }[]
    containerStatuses?: ContainerStatus[]
    initContainerStatuses?: ContainerStatus[]
    ephemeralContainerStatuses?: ContainerStatus[]
  }
}

export interface SourceNode extends KubernetesObject {
  spec?: { unschedulable?: boolean; taints?: Taint[] }
  status?: {
    allocatable?: Quantities
    capacity?: Quantities
    conditions?: { type: string; status: string }[]
  }
}
