import type { Amounts } from '../api/kubernetes/pod-requests.ts'
import type { LabelSelector } from '../api/kubernetes/meta.ts'
import type {
  PodAffinityTerm,
  PreferredNodes,
  Taint,
  Toleration,
  TopologySpreadConstraint,
} from '../api/kubernetes/scheduling.ts'
import type { NodeSelector } from '../api/kubernetes/node-selector.ts'

// Everything that a cycle of the descheduler looks at, as one read-only value. Objects are reduced to what plugins read:
// the pods of a whole cluster are kept in memory while a policy is active.

export type Labels = Readonly<Record<string, string>>

export interface NodeView {
  readonly name: string
  readonly labels: Labels
  readonly taints: readonly Taint[]
  readonly isCordoned: boolean
  /** Has no condition Ready, or one that is True. */
  readonly isReady: boolean
  readonly allocatable: Amounts
  readonly capacity: Amounts
}

export interface OwnerView {
  readonly kind: string
  readonly name: string
  readonly uid: string
}

/** What pods from one template have in common. Pods with equal parts share one object. */
export interface PodTemplateView {
  readonly labels: Labels
  readonly owners: readonly OwnerView[]
  /** Undefined: the pod has none. */
  readonly priority: number | undefined
  /** Of the containers alone, sorted. */
  readonly images: readonly string[]
  readonly requests: Amounts
  /** Resources that a container or an init container requests, whatever the amount. */
  readonly requestedByContainers: ReadonlySet<string>
  readonly qosClass: QosClass
  readonly tolerations: readonly Toleration[]
  readonly nodeSelector: Labels
  /** The spec has the field, with something in it or not. */
  readonly hasNodeAffinity: boolean
  readonly requiredNodeAffinity: NodeSelector | undefined
  readonly preferredNodeAffinity: readonly PreferredNodes[]
  /** Required, as the next. */
  readonly podAffinity: readonly PodAffinityTerm[]
  readonly antiAffinity: readonly PodAffinityTerm[]
  readonly spreadConstraints: readonly TopologySpreadConstraint[]
  /** Of containers and sidecars. */
  readonly hostPorts: readonly HostPortView[]
  /** A volume of type hostPath or emptyDir. */
  readonly hasLocalStorage: boolean
  readonly hasResourceClaims: boolean
}

/** A port of the node that a pod takes. */
export interface HostPortView {
  readonly protocol: string
  readonly port: number
  /** 0.0.0.0: every address of the node. */
  readonly ip: string
}

export type QosClass = 'BestEffort' | 'Burstable' | 'Guaranteed'

export interface ContainerView {
  readonly restartCount: number
  readonly waitingReason: string | undefined
  readonly terminatedReason: string | undefined
  readonly exitCode: number | undefined
}

export interface ConditionView {
  readonly type: string
  readonly status: string
  readonly reason: string | undefined
  readonly lastTransitionMs: number | undefined
}

/** Annotations that the descheduler reads. */
export interface PodMarks {
  /** descheduler.alpha.kubernetes.io/evict */
  readonly evict: boolean
  /** descheduler.alpha.kubernetes.io/prefer-no-eviction */
  readonly preferNoEviction: boolean
  /** descheduler.alpha.kubernetes.io/request-evict-only */
  readonly requestEvictOnly: boolean
  /** descheduler.alpha.kubernetes.io/eviction-in-progress */
  readonly evictionInProgress: boolean
  /** kubernetes.io/config.mirror */
  readonly mirror: boolean
  /** kubernetes.io/config.source, if it is there and not `api` */
  readonly foreignSource: boolean
}

export interface PodView {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly nodeName: string
  readonly template: PodTemplateView
  readonly marks: PodMarks
  readonly createdMs: number
  readonly startedMs: number | undefined
  readonly isTerminating: boolean
  readonly phase: string | undefined
  readonly reason: string | undefined
  /** Empty unless a policy asks for them. */
  readonly conditions: readonly ConditionView[]
  readonly containers: readonly ContainerView[]
  readonly initContainers: readonly ContainerView[]
  readonly ephemeralContainers: readonly ContainerView[]
  /** Claims that are volumes of the pod, without those that an ephemeral volume makes. */
  readonly claims: readonly string[]
}

export interface BudgetView {
  readonly namespace: string
  readonly selector: LabelSelector | undefined
}

/** What a cycle knows of nodes and pods by measuring, for plugins that ask for it. */
export interface MetricsView {
  /** Of metrics.k8s.io, smoothed. A node that is missing has never been measured. */
  readonly nodes: ReadonlyMap<string, Amounts>
  /** Why metrics.k8s.io reported nothing, or nothing new. */
  readonly problem?: Error
  /** Of metrics.k8s.io, by `namespace/name`. */
  readonly pods: ReadonlyMap<string, Amounts>
  /** By query and node: a share between 0 and 1, or why there is no answer. */
  readonly prometheus: ReadonlyMap<string, ReadonlyMap<string, number> | Error>
}

export interface ClusterView {
  readonly nowMs: number
  /** Every node, by name. */
  readonly nodes: readonly NodeView[]
  /** Every pod on a node, in every phase, in no order. */
  readonly pods: readonly PodView[]
  /** Labels by namespace. */
  readonly namespaces: ReadonlyMap<string, Labels>
  /** Empty unless a policy asks for them. */
  readonly budgets: readonly BudgetView[]
  /** Storage class by `namespace/claim`; a claim that is missing is not there. Empty unless a policy asks for them. */
  readonly storageClasses: ReadonlyMap<string, string | undefined>
  /** Empty unless a policy asks for them. */
  readonly metrics: MetricsView
}
