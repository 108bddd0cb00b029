import type { GoingShutdown, ShutdownMode, ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { delaysShutdown, type LogindState } from './logind-state.ts'

/** What logind said; unknown: it could not be asked, and why. */
export type LogindAnswer =
  | { readonly kind: 'known'; readonly state: LogindState }
  | { readonly kind: 'unknown'; readonly why: string }

export interface ShutdownSettings {
  /** From how long before its time on a scheduled shutdown counts. */
  readonly leadTimeMs: number
  /** For how long logind should wait for the lock; 0: for as long as it does by itself. */
  readonly budgetWantedMs: number
}

export interface ShutdownView {
  readonly logind: LogindAnswer
  /** What was last reported since the machine booted. */
  readonly previous: ShutdownReport | undefined
  /** The id of the shutdown that nothing holds any more. */
  readonly mayGo: string | undefined
  readonly bootID: string
  readonly settings: ShutdownSettings
}

export interface ShutdownDecision {
  readonly report: ShutdownReport
  /** Whether to end the lock now. */
  readonly release: boolean
  readonly lookAtMs: number
}

/** Who holds the lock, as the chart passes it to `systemd-inhibit --who`. */
export const lockOwner = 'Lifeboat'
const kubeletLockOwner = 'kubelet'
/** logind does not tell when a shutdown is scheduled. */
const lookEveryMs = 15_000

export function decideShutdown(view: ShutdownView, nowMs: number): ShutdownDecision {
  const going = decideGoing(view, nowMs)
  const release = going?.phase === 'Signalled' && view.mayGo === going.id
  const report = {
    mode: decideMode(view, going),
    budgetSeconds: budgetSecondsOf(view),
    ...(going === undefined ? {} : { going }),
    problems: problemsOf(view, release),
  }
  return { report, release, lookAtMs: nextLookMs(view, nowMs) }
}

/** Unknown is not cancelled: what was on its way stays so until logind says otherwise. */
function decideGoing({ logind, previous, bootID, settings }: ShutdownView, nowMs: number): GoingShutdown | undefined {
  const before = previous?.going
  if (logind.kind === 'unknown') return before
  const { preparing, scheduled } = logind.state
  if (preparing) {
    const action = scheduled?.action ?? before?.action ?? ''
    return { id: before?.id ?? newId(nowMs, bootID), phase: 'Signalled', action }
  }
  if (scheduled === undefined || nowMs < scheduled.atMs - settings.leadTimeMs) return undefined
  // One that was signalled and is not any more is over; this is another one, and nothing is known of it yet.
  const id = before?.phase === 'Scheduled' ? before.id : newId(nowMs, bootID)
  return { id, phase: 'Scheduled', action: scheduled.action, at: new Date(scheduled.atMs).toISOString() }
}

/** Two shutdowns of one boot differ in the time, those of two boots in the boot. */
function newId(nowMs: number, bootID: string): string {
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}-${bootID.slice(0, 8)}`
}

function decideMode({ logind, previous }: ShutdownView, going: GoingShutdown | undefined): ShutdownMode {
  if (logind.kind === 'unknown') return 'Unknown'
  if (logind.state.locks.some((lock) => delaysShutdown(lock, kubeletLockOwner))) return 'Assist'
  // A kubelet that is done with its pods frees its lock while ours still holds the same shutdown.
  const isSame = previous?.going?.id === going?.id
  return going?.phase === 'Signalled' && isSame && previous?.mode === 'Assist' ? 'Assist' : 'Prefer'
}

function budgetSecondsOf({ logind, previous }: ShutdownView): number {
  if (logind.kind === 'unknown') return previous?.budgetSeconds ?? 0
  return Math.min(Math.floor(logind.state.budgetMs / 1_000), Number.MAX_SAFE_INTEGER)
}

function problemsOf({ logind, settings }: ShutdownView, release: boolean): ShutdownReport['problems'] {
  if (logind.kind === 'unknown') return [{ kind: 'noLogind', message: logind.why }]
  const { locks, budgetMs } = logind.state
  const problems: ShutdownReport['problems'][number][] = []
  if (!release && !locks.some((lock) => delaysShutdown(lock, lockOwner))) {
    problems.push({ kind: 'noLock', message: `logind has no delay lock of ${lockOwner}: a shutdown would not wait` })
  }
  if (budgetMs < settings.budgetWantedMs) {
    const [granted, wanted] = [budgetMs / 1_000, settings.budgetWantedMs / 1_000]
    const message = `logind delays a shutdown for ${granted} s (InhibitDelayMaxSec), and ${wanted} s were asked for`
    problems.push({ kind: 'shortBudget', message })
  }
  return problems
}

function nextLookMs({ logind, settings }: ShutdownView, nowMs: number): number {
  const usualMs = nowMs + lookEveryMs
  const atMs = logind.kind === 'known' ? logind.state.scheduled?.atMs : undefined
  if (atMs === undefined) return usualMs
  const countsFromMs = atMs - settings.leadTimeMs
  return countsFromMs > nowMs ? Math.min(usualMs, countsFromMs) : usualMs
}
