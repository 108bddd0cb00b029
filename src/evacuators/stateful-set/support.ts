import type { StatefulSet } from '../../api/kubernetes/apps.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { annotations } from '../../api/names.ts'
import { resolveNumberOrPercent } from '../../api/kubernetes/number-or-percent.ts'

const optIn = 'MaxUnavailable'

/** Undefined: its pods are taken down one after the other; else why they are evicted like any other. */
export function whyUnsupported({ metadata, spec }: StatefulSet): string | undefined {
  const name = `StatefulSet ${metadata.name}`
  if (metadata.deletionTimestamp !== undefined) return `${name} is being deleted`
  if (metadata.annotations?.[annotations.evacuationStrategy] !== optIn) {
    return `${name} has no annotation ${annotations.evacuationStrategy}: ${optIn}`
  }
  const { type = 'RollingUpdate' } = spec?.updateStrategy ?? {}
  return type === 'RollingUpdate' ? undefined : `${name} has the update strategy ${type}`
}

/** How many of its pods may be down at once. As the StatefulSet controller has it: rounded down, but never none. */
export function maxUnavailableOf({ spec }: StatefulSet): number {
  const { maxUnavailable = 1 } = spec?.updateStrategy?.rollingUpdate ?? {}
  return Math.max(1, resolveNumberOrPercent(maxUnavailable, spec?.replicas ?? 1, 'down') ?? 1)
}

/** The number at the end of a pod's name; undefined: it is not one of the set. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${metadata.name}-`
  const { name } = pod.metadata
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : ''
  return /^(0|[1-9]\d{0,8})$/.test(digits) ? Number(digits) : undefined
}

/** From the lowest. */
export function wantedOrdinals({ spec }: StatefulSet): number[] {
  const { start = 0 } = spec?.ordinals ?? {}
  return Array.from({ length: spec?.replicas ?? 1 }, (_, at) => start + at)
}

/** The set takes its pods down itself then, as many as may be. */
export function isRollingOut({ metadata, spec, status }: StatefulSet): boolean {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return true
  if (status?.updateRevision === status?.currentRevision) return false
  const toUpdate = (spec?.replicas ?? 1) - (spec?.updateStrategy?.rollingUpdate?.partition ?? 0)
  return (status?.updatedReplicas ?? 0) < toUpdate
}
