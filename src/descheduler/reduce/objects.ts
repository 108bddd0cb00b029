import type { KubernetesObject, NamespacedObject } from '../../api/kubernetes/meta.ts'
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
  readonly name: string
  readonly image?: string
  readonly restartPolicy?: string
  readonly ports?: readonly { readonly hostPort?: number; readonly protocol?: string; readonly hostIP?: string }[]
  readonly resources?: ResourceRequirements
}

interface Volume {
  readonly name: string
  readonly hostPath?: unknown
  readonly emptyDir?: unknown
  readonly persistentVolumeClaim?: { readonly claimName: string }
  readonly ephemeral?: unknown
}

export interface ContainerStatus {
  readonly name: string
  readonly restartCount?: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string }
    readonly terminated?: { readonly exitCode?: number; readonly reason?: string }
  }
}

export interface SourcePod extends NamespacedObject {
  readonly spec?: {
    readonly nodeName?: string
    readonly priority?: number
    readonly nodeSelector?: Readonly<Record<string, string>>
    readonly affinity?: Affinity
    readonly tolerations?: readonly Toleration[]
    readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[]
    readonly containers?: readonly Container[]
    readonly initContainers?: readonly Container[]
    readonly resources?: ResourceRequirements
    readonly overhead?: Quantities
    readonly volumes?: readonly Volume[]
    readonly resourceClaims?: readonly unknown[]
  }
  readonly status?: {
    readonly phase?: string
    readonly reason?: string
    readonly qosClass?: string
    readonly startTime?: string
    readonly conditions?: readonly {
      readonly type: string
      readonly status: string
      readonly reason?: string
      readonly lastTransitionTime?: string | null
    }[]
    readonly containerStatuses?: readonly ContainerStatus[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly ephemeralContainerStatuses?: readonly ContainerStatus[]
  }
}

export interface SourceNode extends KubernetesObject {
  readonly spec?: { readonly unschedulable?: boolean; readonly taints?: readonly Taint[] }
  readonly status?: {
    readonly allocatable?: Quantities
    readonly capacity?: Quantities
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}
