import type { Taint, Toleration } from '../../src/api/kubernetes/scheduling.ts'

// A small cluster and a policy, told to the upstream descheduler and to ours, both in a dry run, on the same API server.
// A case has its nodes and namespaces for itself, so several of them are in one cluster at a time.

export interface ParityCase {
  readonly name: string
  readonly nodes: readonly CaseNode[]
  readonly pods: readonly CasePod[]
  readonly budgets?: readonly { readonly name: string; readonly matchLabels: Readonly<Record<string, string>> }[]
  readonly claims?: readonly { readonly name: string; readonly storageClass?: string }[]
  /** Labels of the first namespace. The second one has none. */
  readonly namespaceLabels?: Readonly<Record<string, string>>
  /** What metrics.k8s.io says that nodes and the containers of pods use. */
  readonly metrics?: {
    readonly nodes: Readonly<Record<string, CaseUsage>>
    readonly pods: Readonly<Record<string, readonly Partial<CaseUsage>[]>>
  }
  readonly policy: CasePolicy
  /** `pods` if left out. Where upstream chooses by chance, only numbers can be compared. */
  readonly compare?: Comparable
}

export interface CaseUsage {
  readonly cpu: string
  readonly memory: string
}

/** A case with what upstream does, by the facts about it and not by what ours says. */
export interface KnownCase extends ParityCase {
  /** Names of pods, or how many. */
  readonly expected: readonly string[] | number
}

/** What of the pods that leave must be the same on both sides. */
export type Comparable = 'pods' | 'perNode' | 'perNamespace' | 'perOwner' | 'count'

export interface CaseNode {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly cordoned?: boolean
  /** True if left out; `unknown`: it has no such condition. */
  readonly ready?: boolean | 'unknown'
  /** 4 cpu, 8Gi, 110 pods if left out. */
  readonly allocatable?: Readonly<Record<string, string>>
  /** Not a node of the policy. DefaultEvictor may have it. */
  readonly unselected?: boolean
}

export interface CasePod {
  readonly name: string
  readonly node: string
  /** In the second namespace of the case: `NS-other`. */
  readonly other?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** ReplicaSet/web if left out; none: a bare pod. */
  readonly owners?: readonly string[]
  readonly cpu?: string
  readonly memory?: string
  readonly limits?: Readonly<Record<string, string>>
  readonly images?: readonly string[]
  /** None if left out. */
  readonly priority?: number
  readonly tolerations?: readonly Toleration[]
  /** Further parts of the spec, as they are. */
  readonly spec?: object
  /** Running if left out. */
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  /** Further parts of the status, as they are, but for times: `@-60` is a minute ago. */
  readonly status?: object
  /** A day if left out; it started when it was created, unless `status` says otherwise. */
  readonly ageSeconds?: number
  readonly terminating?: boolean
}

/** In all of it, NS stands for the namespace of the case. */
export interface CasePolicy {
  /** Beside nodeSelector and profiles. */
  readonly top?: object
  readonly evictor?: object
  readonly plugin: string
  /** `deschedule` if left out. */
  readonly point?: 'balance' | 'deschedule'
  readonly args?: object
}

/** `ReplicaSet/web` in its parts. */
export function ownerOf(text: string): { readonly kind: string; readonly name: string } {
  const [kind = '', name = ''] = text.split('/')
  return { kind, name }
}

/** Of pods that are named several times, each counts once. */
export function comparableOf(
  { pods, compare = 'pods' }: ParityCase,
  named: readonly { readonly namespace: string; readonly name: string; readonly node: string }[],
): string[] {
  const distinct = [...new Map(named.map((pod) => [`${pod.namespace}/${pod.name} on ${pod.node}`, pod])).entries()]
  if (compare === 'pods') return distinct.map(([text]) => text).toSorted()
  const groups = Map.groupBy(distinct, ([, { namespace, name, node }]) => {
    if (compare === 'count') return 'all'
    if (compare === 'perNode') return node
    if (compare === 'perNamespace') return namespace
    const pod = pods.find((each) => each.name === name && namespace.endsWith('-other') === (each.other === true))
    return `${namespace} ${pod?.owners?.join(' ') ?? 'ReplicaSet/web'}`
  })
  return [...groups].map(([group, { length }]) => `${group}: ${length}`).toSorted()
}
