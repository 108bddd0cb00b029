import { isDeepStrictEqual } from 'node:util'
import type { Taint } from '../../../api/kubernetes/scheduling.ts'
import { taintKeys } from '../../../api/kubernetes/taints.ts'
import type { Node } from '../objects.ts'

type Conditions = NonNullable<NonNullable<Node['status']>['conditions']>
type Taints = readonly Taint[]

const watched = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure']
const troubleKeys: ReadonlySet<string> = new Set([taintKeys.notReady, taintKeys.unreachable])

export function readyOf({ status }: Node): Conditions[number] | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')
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

/** What is wrong with a node, as the key of a taint. */
export function troubleOf(node: Node): string | undefined {
  const status = readyOf(node)?.status
  return status === 'False' ? taintKeys.notReady : status === 'Unknown' ? taintKeys.unreachable : undefined
}

/** With the NoSchedule taints that follow from readiness and cordon. Others stay; times of those that stay, too. */
export function withScheduleTaints(node: Node, now: string): Taints {
  const ours: readonly string[] = Object.values(taintKeys)
  const trouble = troubleOf(node)
  const wanted = [
    ...(node.spec?.unschedulable === true ? [taintKeys.unschedulable] : []),
    ...(trouble === undefined ? [] : [trouble]),
  ]
  const before = node.spec?.taints ?? []
  const kept = before.filter(
    ({ key, effect }) => effect !== 'NoSchedule' || !ours.includes(key) || wanted.includes(key),
  )
  const has = (key: string) => kept.some((taint) => taint.key === key && taint.effect === 'NoSchedule')
  const added = wanted.filter((key) => !has(key))
  return [...kept, ...added.map((key) => ({ key, effect: 'NoSchedule', timeAdded: now }))]
}

/** Which NoExecute taint of ours the node has. */
export function executeTroublesOf({ spec }: Node): readonly string[] {
  return (spec?.taints ?? [])
    .filter(({ key, effect }) => effect === 'NoExecute' && troubleKeys.has(key))
    .map(({ key }) => key)
}

export function withExecuteTaint({ spec }: Node, key: string, now: string): Taints {
  const before = spec?.taints ?? []
  const isThere = before.some((taint) => taint.key === key && taint.effect === 'NoExecute')
  return isThere ? before : [...before, { key, effect: 'NoExecute', timeAdded: now }]
}

/** Without our NoExecute taints, but for one that may stay. */
export function withoutExecuteTaints({ spec }: Node, kept?: string): Taints {
  return (spec?.taints ?? []).filter(
    ({ key, effect }) => effect !== 'NoExecute' || !troubleKeys.has(key) || key === kept,
  )
}

export function hasTaints(node: Node, taints: Taints): boolean {
  const byName = (list: Taints) =>
    list.toSorted((one, other) => (`${one.key}/${one.effect}` < `${other.key}/${other.effect}` ? -1 : 1))
  return isDeepStrictEqual(byName(node.spec?.taints ?? []), byName(taints))
}
