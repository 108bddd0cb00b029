import { blockedChange, blockedOf, cutMessage, type Blocked } from '../evacuation-client/blocked-condition.ts'
import {
  newEvacuationStatus,
  type EvacuationCancellationPolicy,
  type EvacuationStatus,
  type EvacuationStatusChange,
} from '../api/evacuation/evacuation.ts'
import { timestamp } from '../api/kubernetes/timestamp.ts'
import type { CancelResult, Waiting } from './evacuator.ts'

/** What an evacuator has to say in the status of an Evacuation. */
export interface Report {
  readonly message: string
  /** Work is being done: the progress timestamp moves. */
  readonly progress: boolean
  readonly expectedFinishMs?: number
  readonly cancellation?: EvacuationCancellationPolicy
  readonly completed: boolean
  /** There may be no other chance to say it. */
  readonly lastWords?: true
  readonly blocked?: Blocked
  /** What it waits for comes by itself. */
  readonly passes?: true
}

export const reportLimits = {
  heartbeatMaxMs: 180_000,
  /** So often within the deadline, as KEP-4563 suggests: every 3 minutes of 30. */
  heartbeatsWithinDeadline: 10,
  /** News that can wait are written no more often than this. */
  newsIntervalMs: 20_000,
  /** How long who is sparing says nothing while all goes well. */
  quietMs: 20_000,
  /** And how much longer for each turn that is on beside its own: with a thousand pods on the move all takes longer. */
  quietPerTurnMs: 100,
} as const

export function heartbeatIntervalMs(progressDeadlineSeconds: number): number {
  const shareMs = (progressDeadlineSeconds * 1_000) / reportLimits.heartbeatsWithinDeadline
  return Math.min(reportLimits.heartbeatMaxMs, shareMs)
}

export function reportOf(result: CancelResult): Report {
  switch (result.kind) {
    case 'working': {
      const { message, expectedFinishMs, cancellation } = result
      return { message, progress: true, completed: false, ...given({ expectedFinishMs, cancellation }) }
    }
    case 'waiting': {
      const blocked = wordsOf(result.because)
      const { cancellation, passes } = result
      const fields = given({ cancellation, passes })
      return { message: blocked.message, progress: false, completed: false, blocked, ...fields }
    }
    case 'completed':
      return { message: result.message, progress: true, completed: true }
    default:
      return result satisfies never
  }
}

export function failureReport(during: 'step' | 'cancel', error: unknown): Report {
  const what = error instanceof Error ? error.message : String(error)
  const reason = during === 'step' ? 'StepFailed' : 'CancelFailed'
  const message = `The evacuator failed and tries again: ${what}`
  return { message, progress: false, completed: false, blocked: { reason, message } }
}

/** For the time before an evacuator says something itself. */
export function beginningReport(evacuatorClass: string): Report {
  return { message: `Evacuator ${evacuatorClass} is at work`, progress: true, completed: false }
}

/**
 * For who can be cancelled at any time: with its first words it takes back what a predecessor forbade. Not with later
 * ones, so that what a user sets meanwhile stands.
 */
export function allowingCancellation(
  report: Report,
  { report: last }: ReportHistory,
  status?: EvacuationStatus,
): Report {
  const isForbidden = status?.evacuationCancellationPolicy === 'Forbid'
  return isForbidden && last === undefined ? { ...report, cancellation: 'Allow' } : report
}

/** A delay may be infinite: there is nothing new to say. */
export type ReportTiming = { readonly kind: 'now' } | { readonly kind: 'in'; readonly delayMs: number }

export interface ReportHistory {
  /** The last report that was written in this turn. */
  readonly report?: Report
  /** In monotonic time. */
  readonly writtenAtMs?: number
  readonly progressAtMs?: number
  /** For who says nothing at first if all goes well. In monotonic time. */
  readonly quietUntilMs?: number
}

/**
 * When to write a report. It is compared with what this evacuator wrote last and not with what the status says: the
 * controller has something to say there too while an evacuator waits, and neither must write over the other forever.
 */
export function reportTiming(
  report: Report,
  history: ReportHistory,
  { monotonicMs, progressDeadlineSeconds }: { readonly monotonicMs: number; readonly progressDeadlineSeconds: number },
): ReportTiming {
  const { report: last, writtenAtMs, progressAtMs } = history
  if (last === undefined || writtenAtMs === undefined) return firstReportTiming(report, history, monotonicMs)
  const isLast = report.completed || report.lastWords === true
  const cannotWait = isLast || (report.cancellation ?? last.cancellation) !== last.cancellation
  if (cannotWait) return { kind: 'now' }
  const intervalMs = heartbeatIntervalMs(progressDeadlineSeconds)
  const never = Number.POSITIVE_INFINITY
  const heartbeatAtMs = report.progress ? (progressAtMs ?? writtenAtMs) + intervalMs : never
  const newsAtMs = saysTheSame(report, last) ? never : writtenAtMs + reportLimits.newsIntervalMs
  const atMs = Math.min(heartbeatAtMs, newsAtMs)
  return atMs <= monotonicMs ? { kind: 'now' } : { kind: 'in', delayMs: atMs - monotonicMs }
}

/**
 * The first report of progress adopts the evacuation. The controller has noted progress when it gave the turn, so who is
 * sparing waits with it: most are over by then, and a report that is written over a moment later is of no use.
 */
function firstReportTiming(report: Report, { quietUntilMs }: ReportHistory, monotonicMs: number): ReportTiming {
  const isPlain = (report.progress || report.passes === true) && !report.completed && report.cancellation === undefined
  if (quietUntilMs === undefined || !isPlain || quietUntilMs <= monotonicMs) return { kind: 'now' }
  return { kind: 'in', delayMs: quietUntilMs - monotonicMs }
}

/** What a report changes in the status as it is. */
export function statusChange(
  status: EvacuationStatus = newEvacuationStatus,
  report: Report,
  nowMs: number,
): EvacuationStatusChange {
  const message = cutMessage(report.message)
  const expected = report.expectedFinishMs === undefined ? undefined : timestamp(report.expectedFinishMs)
  const { cancellation } = report
  return {
    ...(message === status.message ? {} : { message }),
    ...(report.progress ? { evacuationProgressTimestamp: timestamp(nowMs) } : {}),
    ...(expected === status.expectedEvacuationFinishTime ? {} : { expectedEvacuationFinishTime: expected ?? null }),
    ...(cancellation === undefined || cancellation === status.evacuationCancellationPolicy
      ? {}
      : { evacuationCancellationPolicy: cancellation }),
    ...(report.completed ? { activeEvacuatorCompleted: true } : {}),
    ...blockedChange(status, report.blocked, nowMs),
  }
}

function saysTheSame(one: Report, other: Report): boolean {
  return (
    one.message === other.message &&
    one.progress === other.progress &&
    one.expectedFinishMs === other.expectedFinishMs &&
    one.blocked?.reason === other.blocked?.reason &&
    one.blocked?.message === other.blocked?.message
  )
}

function wordsOf(because: Waiting['because']): Blocked {
  if ('kind' in because) return blockedOf(because)
  // A reason that the API server refuses would keep the message from being seen.
  const isReason = because.reason.length <= 1_024 && /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(because.reason)
  return { reason: isReason ? because.reason : 'Waiting', message: because.message }
}

type Given<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> }

function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>
}
