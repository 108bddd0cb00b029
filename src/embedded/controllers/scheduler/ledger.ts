import type { Node, Pod } from '../objects.ts'
import { controllerOf } from '../ownership.ts'
import { isFinished } from '../pod-status.ts'
import { amountsOf, requestsOf, type Amounts } from '../../../api/kubernetes/pod-requests.ts'

/** A pod on a node, with what it takes there. */
export interface Placed {
  readonly key: string
  /** As it is now: what does not change the room that it takes up is only noted. */
  pod: Pod
  readonly nodeName: string
  readonly requests: Amounts
  /** The pods of one controller are to be spread. Undefined: of none. */
  readonly group: string | undefined
}

export interface NodeAccount {
  readonly name: string
  readonly node: Node
  readonly zone: string
  readonly allocatable: Amounts
  readonly podsMax: number
  readonly used: Map<string, number>
  readonly pods: Set<Placed>
  /** How many pods of each controller are here. */
  readonly groups: Map<string, number>
}

const zoneLabel = 'topology.kubernetes.io/zone'

/** Sums per node, kept as pods come and go: looking at a node costs the same however many pods it has. */
export class Ledger {
  readonly #accounts = new Map<string, NodeAccount>()
  readonly #placed = new Map<string, Placed>()
  readonly #byNamespace = new Map<string, Set<Placed>>()
  readonly #withAntiAffinity = new Set<Placed>()
  /** Pods on nodes that are not there (yet), by node. */
  readonly #homeless = new Map<string, Set<Placed>>()
  readonly #zoneGroups = new Map<string, Map<string, number>>()
  #sorted: readonly NodeAccount[] | undefined

  /** By name, so that the order of arrival decides nothing. */
  get accounts(): readonly NodeAccount[] {
    this.#sorted ??= [...this.#accounts.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
    return this.#sorted
  }

  account(nodeName: string): NodeAccount | undefined {
    return this.#accounts.get(nodeName)
  }

  podsIn(namespace: string): Iterable<Placed> {
    return this.#byNamespace.get(namespace) ?? []
  }

  get pods(): Iterable<Placed> {
    return this.#placed.values()
  }

  get podsWithAntiAffinity(): Iterable<Placed> {
    return this.#withAntiAffinity
  }

  groupInZone(group: string, zone: string): number {
    return this.#zoneGroups.get(group)?.get(zone) ?? 0
  }

  putNode(node: Node): void {
    const name = node.metadata.name
    const before = this.#accounts.get(name)
    const pods = before?.pods ?? this.#homeless.get(name) ?? new Set()
    if (before !== undefined) for (const placed of pods) this.#count(before, placed, -1)
    const allocatable = amountsOf(node.status?.allocatable)
    const account: NodeAccount = {
      name,
      node,
      zone: node.metadata.labels?.[zoneLabel] ?? '',
      allocatable,
      podsMax: (allocatable.get('pods') ?? 0) / 1_000,
      used: new Map(),
      pods,
      groups: new Map(),
    }
    this.#homeless.delete(name)
    this.#accounts.set(name, account)
    for (const placed of pods) this.#count(account, placed, 1)
    this.#sorted = undefined
  }

  removeNode(name: string): void {
    const account = this.#accounts.get(name)
    if (account === undefined) return
    for (const placed of account.pods) this.#count(account, placed, -1)
    if (account.pods.size > 0) this.#homeless.set(name, account.pods)
    this.#accounts.delete(name)
    this.#sorted = undefined
  }

  /** Counts the pod if it takes up room on a node, and forgets what was counted for it before. */
  putPod(key: string, pod: Pod): void {
    const known = this.#placed.get(key)
    if (known !== undefined && takesSameRoom(known.pod, pod)) {
      known.pod = pod
      return
    }
    this.removePod(key)
    const nodeName = pod.spec?.nodeName ?? ''
    if (nodeName === '' || isFinished(pod)) return
    const group = controllerOf(pod.metadata)?.uid
    // The store keeps the spec as it is when only something else changes.
    const requests = known !== undefined && known.pod.spec === pod.spec ? known.requests : requestsOf(pod)
    const placed: Placed = { key, pod, nodeName, requests, group }
    this.#placed.set(key, placed)
    addTo(this.#byNamespace, pod.metadata.namespace, placed)
    if (antiAffinityOf(pod).length > 0) this.#withAntiAffinity.add(placed)
    const account = this.#accounts.get(nodeName)
    if (account === undefined) return addTo(this.#homeless, nodeName, placed)
    account.pods.add(placed)
    this.#count(account, placed, 1)
  }

  removePod(key: string): void {
    const placed = this.#placed.get(key)
    if (placed === undefined) return
    this.#placed.delete(key)
    this.#byNamespace.get(placed.pod.metadata.namespace)?.delete(placed)
    this.#withAntiAffinity.delete(placed)
    this.#homeless.get(placed.nodeName)?.delete(placed)
    const account = this.#accounts.get(placed.nodeName)
    if (account?.pods.delete(placed) === true) this.#count(account, placed, -1)
  }

  #count(account: NodeAccount, { requests, group }: Placed, sign: 1 | -1): void {
    for (const [name, amount] of requests) account.used.set(name, (account.used.get(name) ?? 0) + sign * amount)
    if (group === undefined) return
    bump(account.groups, group, sign)
    let zones = this.#zoneGroups.get(group)
    if (zones === undefined) this.#zoneGroups.set(group, (zones = new Map()))
    bump(zones, account.zone, sign)
    if (zones.size === 0) this.#zoneGroups.delete(group)
  }
}

function takesSameRoom(before: Pod, now: Pod): boolean {
  return (
    before.spec === now.spec &&
    before.metadata.ownerReferences === now.metadata.ownerReferences &&
    isFinished(before) === isFinished(now)
  )
}

export function antiAffinityOf({ spec }: Pod) {
  return spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []
}

function bump(counts: Map<string, number>, key: string, by: number): void {
  const next = (counts.get(key) ?? 0) + by
  if (next === 0) counts.delete(key)
  else counts.set(key, next)
}

function addTo(sets: Map<string, Set<Placed>>, key: string, placed: Placed): void {
  const set = sets.get(key)
  if (set === undefined) sets.set(key, new Set([placed]))
  else set.add(placed)
}
