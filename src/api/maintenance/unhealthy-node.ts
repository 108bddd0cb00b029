import type { Node } from '../kubernetes/core.ts'
import { taintKeys } from '../kubernetes/taints.ts'

/** The taints by which Kubernetes has the pods of a node deleted that reports trouble, or nothing. */
export const unhealthyTaints = [taintKeys.notReady, taintKeys.unreachable] as const

export type UnhealthyTaint = (typeof unhealthyTaints)[number]

export interface UnhealthySince {
  readonly taint: UnhealthyTaint
  /** As the API server writes times. */
  readonly since: string
}

/** The oldest first. Only NoExecute counts: NoSchedule comes at once, and to nodes from which Kubernetes takes nothing. */
export function unhealthySince({ spec }: Node): UnhealthySince[] {
  return (spec?.taints ?? [])
    .flatMap(({ key, effect, timeAdded: since }) => {
      const taint = unhealthyTaints.find((known) => known === key)
      return taint === undefined || effect !== 'NoExecute' || since === undefined ? [] : [{ taint, since }]
    })
    .toSorted((one, other) => Date.parse(one.since) - Date.parse(other.since))
}

export function isReadyNode({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false
}
