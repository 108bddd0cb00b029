import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import type { NodeSelector } from '../../api/kubernetes/node-selector.ts'

// A DeschedulerPolicy v1alpha2 after parsing: valid, and with the defaults filled in. Names of fields are upstream's.

export interface Policy {
  readonly nodeSelector: NodeSelector | undefined
  readonly limits: Limits
  readonly evictionFailureEventNotification: boolean
  readonly gracePeriodSeconds: number | undefined
  readonly metricsProviders: MetricsProviders
  /** Beginnings of the message of a 429 that promises an eviction in the background. */
  readonly evictionMessagePrefixes: readonly string[]
  readonly profiles: readonly Profile[]
  readonly lifeboat: LifeboatSection
}

/** Undefined: no limit. 0: none at all. */
export interface Limits {
  readonly perNode: number | undefined
  readonly perNamespace: number | undefined
  readonly total: number | undefined
}

export interface MetricsProviders {
  readonly kubernetesMetrics: boolean
  readonly prometheus: PrometheusProvider | undefined
}

export interface PrometheusProvider {
  readonly url: string
  readonly authToken: { readonly namespace: string; readonly name: string } | undefined
}

/** What upstream has no words for. It passes over this section in silence. */
export interface LifeboatSection {
  /** At most so many percent of the pods of an owner are on their way at any time; at least one may always be. */
  readonly maxPercentPerOwner: number | undefined
  /** A pod that came back to the node that its predecessor left is left alone for so long, doubled each time. */
  readonly returnBackoffMs: number | undefined
  /** Also what the scheduler looks at: spread, host ports, affinity to pods and others' anti-affinity. */
  readonly nodeFitAsScheduler: boolean
  /** Cycles only between these times of day. */
  readonly window: TimeWindow | undefined
}

export interface TimeWindow {
  readonly days: readonly Weekday[]
  /** Minutes after midnight; `from` may be later than `to`: then it continues past midnight. */
  readonly fromMinute: number
  readonly toMinute: number
  /** IANA name. */
  readonly timeZone: string
}

export const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
export type Weekday = (typeof weekdays)[number]

export interface Profile {
  readonly name: string
  /** The plugin of `filter` and of `preevictionfilter`: upstream puts it there if it is not. */
  readonly defaultEvictor: DefaultEvictorArgs
  readonly deschedule: readonly EnabledPlugin[]
  readonly balance: readonly EnabledPlugin[]
}

/** A plugin with its args. */
export type EnabledPlugin = {
  [Name in PluginName]: { readonly name: Name; readonly args: PluginArgs[Name] }
}[PluginName]

export interface PluginArgs {
  readonly PodLifeTime: PodLifeTimeArgs
  readonly RemoveFailedPods: RemoveFailedPodsArgs
  readonly RemovePodsHavingTooManyRestarts: TooManyRestartsArgs
  readonly RemovePodsViolatingNodeTaints: NodeTaintsArgs
  readonly RemovePodsViolatingNodeAffinity: NodeAffinityArgs
  readonly RemovePodsViolatingInterPodAntiAffinity: PodSelection
  readonly RemoveDuplicates: RemoveDuplicatesArgs
  readonly LowNodeUtilization: LowNodeUtilizationArgs
  readonly HighNodeUtilization: HighNodeUtilizationArgs
  readonly RemovePodsViolatingTopologySpreadConstraint: TopologySpreadArgs
}
export type PluginName = keyof PluginArgs

export interface Namespaces {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

/** Which pods a plugin lists. */
export interface PodSelection {
  readonly namespaces?: Namespaces
  readonly labelSelector?: LabelSelector
}

export interface OwnerKinds {
  readonly include?: readonly string[]
  readonly exclude?: readonly string[]
}

export interface ConditionFilter {
  readonly type?: string
  readonly status?: string
  readonly reason?: string
  readonly minTimeSinceLastTransitionSeconds?: number
}

export interface PodLifeTimeArgs extends PodSelection {
  readonly maxPodLifeTimeSeconds?: number
  readonly states?: readonly string[]
  readonly conditions?: readonly ConditionFilter[]
  readonly exitCodes?: readonly number[]
  readonly ownerKinds?: OwnerKinds
  readonly includingInitContainers?: boolean
  readonly includingEphemeralContainers?: boolean
}

export interface RemoveFailedPodsArgs extends PodSelection {
  readonly minPodLifetimeSeconds: number
  readonly excludeOwnerKinds?: readonly string[]
  readonly reasons?: readonly string[]
  readonly exitCodes?: readonly number[]
  readonly includingInitContainers?: boolean
}

export interface TooManyRestartsArgs extends PodSelection {
  readonly podRestartThreshold: number
  readonly includingInitContainers?: boolean
  readonly states?: readonly string[]
}

export interface NodeTaintsArgs extends PodSelection {
  readonly includePreferNoSchedule?: boolean
  readonly excludedTaints?: readonly string[]
  readonly includedTaints?: readonly string[]
}

export interface NodeAffinityArgs extends PodSelection {
  readonly nodeAffinityType: readonly string[]
}

export interface RemoveDuplicatesArgs {
  readonly namespaces?: Namespaces
  readonly excludeOwnerKinds?: readonly string[]
}

/** Percent by resource. */
export type Thresholds = Readonly<Record<string, number>>

export interface LowNodeUtilizationArgs {
  readonly thresholds: Thresholds
  readonly targetThresholds: Thresholds
  readonly useDeviationThresholds: boolean
  readonly numberOfNodes: number
  readonly evictableNamespaces?: { readonly exclude: readonly string[] }
  readonly evictionLimits?: { readonly node?: number }
  readonly metricsUtilization?: MetricsUtilization
}

export type MetricsUtilization =
  | { readonly source: 'KubernetesMetrics' }
  | { readonly source: 'Prometheus'; readonly query: string }

export interface HighNodeUtilizationArgs {
  readonly thresholds: Thresholds
  readonly numberOfNodes: number
  readonly evictableNamespaces?: { readonly exclude: readonly string[] }
  readonly evictionModes: readonly 'OnlyThresholdingResources'[]
}

export interface TopologySpreadArgs extends PodSelection {
  readonly constraints: readonly ('DoNotSchedule' | 'ScheduleAnyway')[]
  readonly topologyBalanceNodeFit: boolean
}

/** Protections of DefaultEvictor, by the names of `podProtections`. */
export const defaultProtections = [
  'PodsWithLocalStorage',
  'DaemonSetPods',
  'SystemCriticalPods',
  'FailedBarePods',
] as const
export const extraProtections = ['PodsWithPVC', 'PodsWithoutPDB', 'PodsWithResourceClaims'] as const
export type Protection = (typeof defaultProtections)[number] | (typeof extraProtections)[number]

export interface DefaultEvictorArgs {
  /** Whichever way they were written: as `podProtections`, or as the booleans of before. */
  readonly protections: ReadonlySet<Protection>
  /** Undefined: every claim protects. */
  readonly protectedStorageClasses: readonly string[] | undefined
  readonly nodeSelector: NodeSelector | undefined
  readonly labelSelector: LabelSelector | undefined
  readonly namespaceLabelSelector: LabelSelector | undefined
  readonly priorityThreshold: PriorityThreshold | undefined
  readonly nodeFit: boolean
  readonly minReplicas: number
  readonly minPodAgeMs: number | undefined
  readonly noEvictionPolicy: 'Preferred' | 'Mandatory'
}

/** By `name` the value is read from the cluster when the policy is loaded. */
export type PriorityThreshold = { readonly value: number } | { readonly name: string }
