import type { EvacuationKey } from '../evacuation-client/evacuation-key.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Clock } from '../runtime/clock.ts'
import type { EvacuationWriter } from '../evacuation-client/evacuation-writer.ts'
import { reportTiming, statusChange, type Report, type ReportHistory } from './report.ts'

export interface ReportRequest {
  readonly key: EvacuationKey
  readonly report: Report
  readonly history: ReportHistory
  readonly progressDeadlineSeconds: number
  /** Asked about the version that the report will be written on. */
  readonly mayReport: (current: Evacuation) => boolean
  readonly signal: AbortSignal
}

export type ReportOutcome =
  | { readonly kind: 'written'; readonly history: ReportHistory }
  | { readonly kind: 'later'; readonly delayMs: number }
  /** The status is not this evacuator's to write any more, or there is none. */
  | { readonly kind: 'notOurs' }

/** Writes a report into the status if it is time, as one patch on top of the version that was looked at. */
export async function writeReport(
  { writer, clock }: { readonly writer: EvacuationWriter; readonly clock: Clock },
  request: ReportRequest,
): Promise<ReportOutcome> {
  const { key, report, history, progressDeadlineSeconds, mayReport, signal } = request
  const monotonicMs = clock.monotonicMs()
  const timing = reportTiming(report, history, { monotonicMs, progressDeadlineSeconds })
  if (timing.kind === 'in') return { kind: 'later', delayMs: timing.delayMs }
  let isOurs = false
  const outcome = await writer.write(
    key,
    (current) => {
      isOurs = mayReport(current)
      return isOurs ? { kind: 'status', status: statusChange(current.status, report, clock.nowMs()) } : undefined
    },
    signal,
  )
  if (outcome === 'gone' || !isOurs) return { kind: 'notOurs' }
  return { kind: 'written', history: historyAfter(history, report, monotonicMs) }
}

function historyAfter(history: ReportHistory, report: Report, atMs: number): ReportHistory {
  const cancellation = report.cancellation ?? history.report?.cancellation
  return {
    // What was said about cancellation holds until something else is.
    report: cancellation === undefined ? report : { ...report, cancellation },
    writtenAtMs: atMs,
    ...(report.progress ? { progressAtMs: atMs } : {}),
  }
}
