import { matchesLabelSelector } from '../../../api/kubernetes/label-selector.ts'
import type { Pod, ReplicaSet, WorkloadCondition } from '../objects.ts'
import { availableAtMs, isReady } from '../pod-status.ts'
import { findCondition, withoutCondition } from '../workload-condition.ts'

export interface ReplicaSetCounts {
  readonly active: readonly Pod[]
  readonly terminating: number
  /** Why the last pod could not be made. */
  readonly failure: string | undefined
}

/** The status, and when a pod that is Ready will have been so for long enough. */
export function buildReplicaSetStatus(
  { metadata, spec, status = {} }: ReplicaSet,
  { active, terminating, failure }: ReplicaSetCounts,
  now: { readonly ms: number; readonly timestamp: string },
): { readonly status: object; readonly nextAvailableAtMs: number | undefined } {
  const templateLabels = { matchLabels: spec?.template?.metadata?.labels ?? {} }
  const availableTimes = active
    .map((pod) => availableAtMs(pod, spec?.minReadySeconds ?? 0))
    .filter((ms) => ms !== undefined)
  const later = availableTimes.filter((ms) => ms > now.ms)
  const { conditions: _, ...rest } = status
  const conditions = withFailure(status.conditions ?? [], failure, active.length < (spec?.replicas ?? 1), now.timestamp)
  const next = {
    ...rest,
    replicas: active.length,
    fullyLabeledReplicas: active.filter((pod) => matchesLabelSelector(templateLabels, pod.metadata.labels)).length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: availableTimes.length - later.length,
    terminatingReplicas: terminating,
    observedGeneration: metadata.generation ?? 0,
    ...(conditions.length === 0 ? {} : { conditions }),
  }
  return { status: next, nextAvailableAtMs: later.length === 0 ? undefined : Math.min(...later) }
}

/** The first failure stays until it is over: later ones would only move its words about. */
function withFailure(
  conditions: readonly WorkloadCondition[],
  failure: string | undefined,
  isShort: boolean,
  now: string,
): readonly WorkloadCondition[] {
  const type = 'ReplicaFailure'
  if (failure === undefined) return withoutCondition(conditions, type)
  if (findCondition(conditions, type) !== undefined) return conditions
  const reason = isShort ? 'FailedCreate' : 'FailedDelete'
  return [...conditions, { type, status: 'True', reason, message: failure, lastTransitionTime: now }]
}
