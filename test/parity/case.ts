import type { Taint, Toleration } from '../../src/api/kubernetes/scheduling.ts'

// A small cluster and a policy, told to the upstream descheduler and to ours, both in a dry run, on the same API server.
// A case has its nodes and namespaces for itself, so many of them are in one cluster.

export interface ParityCase {
  readonly name: string
  readonly nodes: readonly CaseNode[]
  readonly pods: readonly CasePod[]
  readonly budgets?: readonly { readonly name: string; readonly matchLabels: Readonly<Record<string, string>> }[]
  readonly claims?: readonly { readonly name: string; readonly storageClass?: string }[]
  /** Labels of the namespace. */
  readonly namespaceLabels?: Readonly<Record<string, string>>
  readonly policy: CasePolicy
  /** Names of pods, or how many; from the facts about upstream, not from what ours says. */
  readonly expected: readonly string[] | number
}

export interface CaseNode {
  readonly name: string
  readonly labels?: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  readonly cordoned?: boolean
  readonly ready?: boolean
  /** 4 cpu, 8Gi, 110 pods if left out. */
  readonly allocatable?: Readonly<Record<string, string>>
}

export interface CasePod {
  readonly name: string
  readonly node: string
  /** A second namespace of the case: `NS-other`. */
  readonly other?: boolean
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** ReplicaSet/web if left out; none: a bare pod. */
  readonly owners?: readonly string[]
  readonly cpu?: string
  readonly memory?: string
  readonly limits?: Readonly<Record<string, string>>
  readonly images?: readonly string[]
  /** One of the classes of the ground: 0 (none), 50, 100, 1000, or 2000001000. */
  readonly priority?: 50 | 100 | 1_000 | 2_000_001_000
  readonly tolerations?: readonly Toleration[]
  /** Further parts of the spec, as they are. */
  readonly spec?: object
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed'
  /** Further parts of the status, as they are. */
  readonly status?: object
  /** Deleted, and kept by a finalizer. */
  readonly terminating?: boolean
}

export interface CasePolicy {
  /** Beside nodeSelector and profiles. */
  readonly top?: object
  readonly evictor?: object
  readonly plugin: string
  readonly point?: 'balance' | 'deschedule'
  readonly args?: object
}

/** `ReplicaSet/web` with the UID that a case gives it. */
export function ownerOf(text: string): { readonly kind: string; readonly name: string } {
  const [kind = 'ReplicaSet', name = 'web'] = text.split('/')
  return { kind, name }
}
