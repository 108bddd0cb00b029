import type { CycleReport } from '../../descheduler/cycle/cycle.ts'
import { summaryOf } from '../../descheduler/report/cycle-summary.ts'
import { renderBriefly, reportData } from '../../descheduler/report/render-report.ts'
import type { Log } from '../../runtime/log.ts'

export interface ReportingParts {
  readonly log: Log
  readonly print: (line: string) => void
}

/**
 * What a descheduler that runs on tells of each cycle: how many pods, in its log. A dry run leaves no other trace, so it
 * also logs a line for each strategy; the whole report is for programs that ask for it.
 */
export function reportingAtInterval(
  { dryRun = false, output }: { readonly dryRun?: boolean; readonly output?: 'json' },
  { log, print }: ReportingParts,
): (report: CycleReport, elapsedMs: number) => void {
  return (report, elapsedMs) => {
    if (output === 'json') print(JSON.stringify(reportData(report)))
    if (dryRun) for (const line of renderBriefly(report, { isDryRun: true })) log.info({}, line)
    log.info(summaryOf(report, elapsedMs), 'cycle')
  }
}
