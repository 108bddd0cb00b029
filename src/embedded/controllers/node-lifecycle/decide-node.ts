import { isDeepStrictEqual } from 'node:util'
import type { DeepReadonly } from '../../../api/kubernetes/meta.ts'
import type { Taint } from '../../../api/kubernetes/scheduling.ts'
import type { Lease, Node } from '../objects.ts'
import { timeOf } from '../pod-status.ts'
import { taintKeys } from '../../../api/taints.ts'

/** The default of 1.37: so long without a sign of life, and nobody knows how a node is. */
export const gracePeriodMs = 50_000

type Conditions = NonNullable<NonNullable<Node['status']>['conditions']>

const watched = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']

/** When the node is given up unless its lease is renewed; undefined if there is nothing to wait for. */
export function silentAtMs(node: Node, lease: Lease | undefined): number {
  const heard = Math.max(timeOf(lease?.spec?.renewTime), timeOf(node.metadata.creationTimestamp))
  return heard + gracePeriodMs
}

/** The conditions of a node that fell silent: all that its kubelet would know is unknown. */
export function silentConditions(node: Node, now: string): Conditions {
  const before = node.status?.conditions ?? []
  const unknown = watched.map((type) => {
    const known = before.find((condition) => condition.type === type)
    if (known?.status === 'Unknown') return known
    const said =
      known === undefined
        ? { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' }
        : { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
    return { ...known, type, status: 'Unknown', ...said, lastTransitionTime: now }
  })
  return [...before.filter(({ type }) => !watched.includes(type)), ...unknown]
}

/** The taints that follow from readiness and cordon. Those of others stay; times of those that stay, too. */
export function taintsFor(node: Node, now: string): readonly DeepReadonly<Taint>[] {
  const ours: readonly string[] = Object.values(taintKeys)
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready')?.status
  const trouble = ready === 'False' ? taintKeys.notReady : ready === 'Unknown' ? taintKeys.unreachable : undefined
  const wanted = [
    ...(node.spec?.unschedulable === true ? [{ key: taintKeys.unschedulable, effect: 'NoSchedule' }] : []),
    ...(trouble === undefined
      ? []
      : [
          { key: trouble, effect: 'NoSchedule' },
          { key: trouble, effect: 'NoExecute' },
        ]),
  ]
  const before = node.spec?.taints ?? []
  const kept = before.filter(({ key }) => !ours.includes(key))
  const sameAs = (taint: Taint) => before.find(({ key, effect }) => key === taint.key && effect === taint.effect)
  const own = wanted.map((taint) => sameAs(taint) ?? { key: taint.key, effect: taint.effect, timeAdded: now })
  return [...kept, ...own]
}

export function hasTaints(node: Node, taints: readonly DeepReadonly<Taint>[]): boolean {
  const byName = (list: readonly DeepReadonly<Taint>[]) =>
    list.toSorted((one, other) => (`${one.key}/${one.effect}` < `${other.key}/${other.effect}` ? -1 : 1))
  return isDeepStrictEqual(byName(node.spec?.taints ?? []), byName(taints))
}
