import type { KubernetesObject, NamespacedObject } from './meta.ts'
import type { Taint, Toleration } from './scheduling.ts'

export interface Pod extends NamespacedObject {
  readonly spec?: PodSpec
  readonly status?: PodStatus
}

export interface PodSpec {
  readonly nodeName?: string
  readonly priority?: number
  readonly priorityClassName?: string
  readonly terminationGracePeriodSeconds?: number
  readonly schedulingGates?: readonly { readonly name: string }[]
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity }
  readonly tolerations?: readonly Toleration[]
  readonly containers: readonly { readonly name: string; readonly image?: string }[]
  readonly volumes?: readonly {
    readonly name: string
    readonly persistentVolumeClaim?: { readonly claimName: string }
    readonly ephemeral?: unknown
  }[]
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: {
    readonly nodeSelectorTerms?: readonly {
      readonly matchFields?: readonly {
        readonly key: string
        readonly operator: string
        readonly values?: readonly string[]
      }[]
    }[]
  }
}

export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly conditions?: readonly PodCondition[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly podIP?: string
  readonly startTime?: string
}

export interface PodCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason?: string
  readonly message?: string
  readonly lastTransitionTime?: string
}

export interface ContainerStatus {
  readonly name: string
  readonly ready: boolean
  readonly restartCount: number
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string }
    readonly running?: { readonly startedAt?: string }
    readonly terminated?: { readonly exitCode: number; readonly reason?: string; readonly message?: string }
  }
}

export interface PersistentVolumeClaim extends NamespacedObject {
  readonly spec?: { readonly accessModes?: readonly string[]; readonly storageClassName?: string }
}

export interface Node extends KubernetesObject {
  readonly spec?: NodeSpec
  readonly status?: { readonly conditions?: readonly PodCondition[]; readonly nodeInfo?: { readonly bootID?: string } }
}

export interface NodeSpec {
  readonly unschedulable?: boolean
  readonly taints?: readonly Taint[]
}

export type Namespace = KubernetesObject

export interface ConfigMap extends NamespacedObject {
  readonly data?: Readonly<Record<string, string>>
}

export interface Secret extends NamespacedObject {
  readonly type?: string
  /** In base64. */
  readonly data?: Readonly<Record<string, string>>
}

export interface ServiceAccount extends NamespacedObject {
  readonly automountServiceAccountToken?: boolean
}

/** The Event of core/v1, not of events.k8s.io: the KEPs name its involvedObject. */
export interface Event extends NamespacedObject {
  readonly involvedObject: {
    readonly apiVersion?: string
    readonly kind?: string
    readonly namespace?: string
    readonly name?: string
    readonly uid?: string
    readonly resourceVersion?: string
  }
  readonly reason?: string
  readonly message?: string
  readonly type?: string
  readonly count?: number
  readonly firstTimestamp?: string
  readonly lastTimestamp?: string
  readonly source?: { readonly component?: string; readonly host?: string }
  readonly reportingComponent?: string
  readonly reportingInstance?: string
}
