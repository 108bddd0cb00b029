import type { Job, Pod, WorkloadCondition } from '../objects.ts'
import { isFinished, isReady, isTerminating, timeOf } from '../pod-status.ts'
import { findCondition, withWorkloadCondition } from '../workload-condition.ts'

export const trackingFinalizer = 'batch.kubernetes.io/job-tracking'

type Status = NonNullable<Job['status']>

export interface JobView {
  readonly job: Job
  /** Of the job's own. */
  readonly pods: readonly Pod[]
}

export interface JobPlan {
  /** The status with every ended pod counted; those that were counted just now are named in it until they are let go. */
  readonly status: Status
  /** Ended pods that have been counted: the finalizer that kept them for that may go. */
  readonly letGo: readonly Pod[]
  readonly create: number
  readonly remove: readonly Pod[]
  readonly againAtMs: number | undefined
}

const backoff = { initialMs: 10_000, maxMs: 600_000 } as const

export function planJob({ job, pods }: JobView, now: { readonly ms: number; readonly timestamp: string }): JobPlan {
  const { backoffLimit = 6, suspend = false } = job.spec ?? {}
  const counted = countEnded(job, pods)
  const active = pods.filter((pod) => !isFinished(pod) && !isTerminating(pod))
  const { succeeded = 0, failed = 0 } = counted.status
  const base: Status = {
    ...counted.status,
    startTime: job.status?.startTime ?? now.timestamp,
    active: active.length,
    ready: active.filter(isReady).length,
    terminating: pods.filter((pod) => isTerminating(pod) && !isFinished(pod)).length,
  }
  const plan = { status: base, letGo: counted.letGo, create: 0, remove: [] as readonly Pod[], againAtMs: undefined }
  if (isOver(job)) return plan
  if (failed > backoffLimit) {
    const why = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' }
    return {
      ...plan,
      status: ended({ ...base, active: 0, ready: 0 }, ['FailureTarget', 'Failed'], why, now.timestamp),
      remove: active,
    }
  }
  if (isComplete(job, succeeded, active.length)) {
    const why = { reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' }
    const status = ended(
      { ...base, completionTime: now.timestamp },
      ['SuccessCriteriaMet', 'Complete'],
      why,
      now.timestamp,
    )
    return { ...plan, status, remove: active }
  }
  if (suspend) return { ...plan, remove: active }
  const wanted = wantedActive(job, succeeded, active.length)
  const heldUntilMs = backoffEndMs(pods, failed)
  if (active.length < wanted && heldUntilMs > now.ms) return { ...plan, againAtMs: heldUntilMs }
  const remove = active.toSorted(byReadiness).slice(0, Math.max(0, active.length - wanted))
  return { ...plan, create: Math.max(0, wanted - active.length), remove }
}

export function isOver({ status }: Job): boolean {
  return ['Complete', 'Failed'].some((type) => findCondition(status?.conditions, type)?.status === 'True')
}

/**
 * A pod counts once: it is named in the status first, then loses its finalizer, then leaves the status again. So it is
 * not lost if it is deleted meanwhile, nor counted twice if we are interrupted.
 */
function countEnded({ status = {} }: Job, pods: readonly Pod[]): { status: Status; letGo: readonly Pod[] } {
  const held = pods.filter(({ metadata }) => metadata.finalizers?.includes(trackingFinalizer) === true)
  const heldUids = new Set(held.map(({ metadata }) => metadata.uid))
  const before = status.uncountedTerminatedPods ?? {}
  const named = { succeeded: before.succeeded ?? [], failed: before.failed ?? [] }
  const stillHeld = {
    succeeded: named.succeeded.filter((uid) => heldUids.has(uid)),
    failed: named.failed.filter((uid) => heldUids.has(uid)),
  }
  const known = new Set([...named.succeeded, ...named.failed])
  const fresh = held.filter((pod) => !known.has(pod.metadata.uid))
  const won = fresh.filter(hasSucceeded).map(({ metadata }) => metadata.uid)
  const lost = fresh.filter((pod) => !hasSucceeded(pod) && hasFailed(pod)).map(({ metadata }) => metadata.uid)
  const { uncountedTerminatedPods: _, ...rest } = status
  return {
    status: {
      ...rest,
      succeeded: (status.succeeded ?? 0) + won.length,
      failed: (status.failed ?? 0) + lost.length,
      uncountedTerminatedPods: { succeeded: [...stillHeld.succeeded, ...won], failed: [...stillHeld.failed, ...lost] },
    },
    letGo: held.filter((pod) => known.has(pod.metadata.uid)),
  }
}

function hasSucceeded({ status }: Pod): boolean {
  return status?.phase === 'Succeeded'
}

/** One that is being deleted will not do its work any more, whatever its phase. */
function hasFailed(pod: Pod): boolean {
  return pod.status?.phase === 'Failed' || isTerminating(pod)
}

function isComplete({ spec }: Job, succeeded: number, active: number): boolean {
  return spec?.completions === undefined ? succeeded > 0 && active === 0 : succeeded >= spec.completions
}

function wantedActive({ spec }: Job, succeeded: number, active: number): number {
  const { parallelism = 1, completions } = spec ?? {}
  if (completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism
  return Math.min(parallelism, completions - succeeded)
}

/** After a failure the next try waits, twice as long each time. */
function backoffEndMs(pods: readonly Pod[], failed: number): number {
  if (failed === 0) return 0
  const ends = pods.filter(({ status }) => status?.phase === 'Failed').map(endOf)
  if (ends.length === 0) return 0
  return Math.max(...ends) + Math.min(backoff.maxMs, backoff.initialMs * 2 ** Math.min(failed - 1, 10))
}

function endOf({ status, metadata }: Pod): number {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')
  return timeOf(ready?.lastTransitionTime ?? metadata.creationTimestamp)
}

function ended(
  status: Status,
  types: readonly string[],
  why: { reason: string; message: string },
  now: string,
): Status {
  const conditions = types.reduce<readonly WorkloadCondition[]>(
    (known, type) => withWorkloadCondition(known, { type, status: 'True', ...why }, now),
    status.conditions ?? [],
  )
  return { ...status, conditions: conditions.map((condition) => asJobCondition(condition, now)) }
}

/** A Job's conditions have a time of the last probe instead. */
function asJobCondition(condition: WorkloadCondition, now: string): WorkloadCondition {
  const { lastUpdateTime = now, ...rest } = condition
  return Object.assign({ lastProbeTime: lastUpdateTime }, rest)
}

function byReadiness(one: Pod, other: Pod): number {
  if (isReady(one) !== isReady(other)) return Number(isReady(one)) - Number(isReady(other))
  return one.metadata.name < other.metadata.name ? -1 : 1
}
