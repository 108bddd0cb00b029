import { reportOf, wantedOf } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'

/**
 * Static pods that the way back hangs on. Without an API server no agent learns that it should bring one back, and
 * without a majority of etcd there is no API server; a kubelet that cannot ask one starts no agent either.
 */
export interface GuardedPart {
  readonly component: 'kube-apiserver' | 'etcd'
  /** Finds the others; undefined: only their names tell. */
  readonly labelSelector: string | undefined
}

const components = ['kube-apiserver', 'etcd'] as const
/** What kubeadm, RKE2 and others call them by, and OpenShift. */
const labelKeys = ['component', 'app'] as const
const labelled: Readonly<Record<string, GuardedPart['component']>> = {
  'kube-apiserver': 'kube-apiserver',
  'openshift-kube-apiserver': 'kube-apiserver',
  etcd: 'etcd',
}

export function guardedPartOf({ metadata }: Pod): GuardedPart | undefined {
  for (const key of labelKeys) {
    const value = metadata.labels?.[key] ?? ''
    const component = Object.hasOwn(labelled, value) ? labelled[value] : undefined
    if (component !== undefined) return { component, labelSelector: `${key}=${value}` }
  }
  const component = componentByName(metadata.name)
  return component === undefined ? undefined : { component, labelSelector: undefined }
}

function componentByName(name: string): GuardedPart['component'] | undefined {
  return components.find((component) => name.startsWith(`${component}-`))
}

export interface Peers {
  readonly component: GuardedPart['component']
  /** How many would be left that work. */
  readonly healthy: number
  readonly needed: number
}

/** `found` and `mailboxes` as the API server has them now: of two that look at once, only one may go. */
export function peersOf(
  { component }: GuardedPart,
  pod: Pod,
  found: readonly Pod[],
  mailboxes: readonly Lease[],
): Peers {
  const { namespace, name } = pod.metadata
  const members = found.filter((each) => podTypeOf(each) === 'Static' && guardedPartOf(each)?.component === component)
  const keyOf = ({ metadata }: Pod) => `${metadata.namespace}/${metadata.name}`
  const leaving = new Set(mailboxes.flatMap((mailbox) => leavingOf(mailbox)))
  const others = members.filter((each) => keyOf(each) !== `${namespace}/${name}`)
  const healthy = others.filter(
    (each) => isReady(each) && each.metadata.deletionTimestamp === undefined && !leaving.has(keyOf(each)),
  ).length
  if (component === 'kube-apiserver') return { component, healthy, needed: 1 }
  const away = [...leaving].filter((key) => isMemberKey(key, namespace, component))
  const all = new Set([`${namespace}/${name}`, ...members.map(keyOf), ...away])
  return { component, healthy, needed: Math.floor(all.size / 2) + 1 }
}

function isMemberKey(key: string, namespace: string, component: GuardedPart['component']): boolean {
  return key.startsWith(`${namespace}/`) && componentByName(key.slice(namespace.length + 1)) === component
}

/** Parked, or about to be. */
function leavingOf(mailbox: Lease): readonly string[] {
  const wanted = wantedOf(mailbox)?.park.map(({ pod }) => pod) ?? []
  return [...wanted, ...(reportOf(mailbox)?.staticPods?.parked ?? [])]
}
