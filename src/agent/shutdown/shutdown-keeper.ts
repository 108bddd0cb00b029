import type { ShutdownReport } from '../../api/maintenance/agent-shutdown.ts'
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'
import type { BudgetFile } from './budget-file.ts'
import type { Logind } from './busctl.ts'
import { decideShutdown, type LogindAnswer, type ShutdownSettings } from './decide-shutdown.ts'
import type { LockProcess } from './lock-process.ts'
import { giveBudgetBack, settleBudget } from './settle-budget.ts'

export interface ShutdownKeeperParts {
  readonly logind: Logind
  readonly lock: LockProcess
  readonly file: BudgetFile
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly bootID: string
  readonly settings: ShutdownSettings
}

/** What the mailbox says. */
export interface KnownShutdown {
  /** The last report since the machine booted, of this agent or of the one before it. */
  readonly written: ShutdownReport | undefined
  readonly mayGo: string | undefined
}

export interface ShutdownLook {
  readonly report: ShutdownReport
  readonly lookAtMs: number
}

const backoff: BackoffOptions = { initialMs: 200, maxMs: 15_000, jitter: 0.2 }
/** A bus that was there for longer was well. */
const wellAfterMs = 10_000
/** The lock is the one thing that must not stay. */
const releaseAgainMs = 1_000

/** Looks after shutdowns of the machine: says what logind says, and lets go of the lock when it may. */
export class ShutdownKeeper {
  readonly #parts: ShutdownKeeperParts
  /** Newer than what the watch of the mailbox shows, which comes after the write. */
  #last: ShutdownReport | undefined
  #isBudgetSettled = false

  constructor(parts: ShutdownKeeperParts) {
    this.#parts = parts
  }

  /** What needs no API server: logind must know the budget before a shutdown begins. Never rejects. */
  async prepare(signal: AbortSignal): Promise<void> {
    // What fails here is tried again, and reported, with the first look.
    await this.#ask(signal).catch(() => {})
  }

  /** Calls back when it is worth another look, until the signal aborts; never rejects. */
  async follow(notice: () => void, signal: AbortSignal): Promise<void> {
    const { logind, clock, random, log } = this.#parts
    const jitter = random.stream('shutdown/follow')
    for (let failures = 1; !signal.aborted; failures++) {
      const startedMs = clock.monotonicMs()
      const why = await logind.follow(notice, signal)
      if (signal.aborted) return
      if (clock.monotonicMs() - startedMs >= wellAfterMs) failures = 1
      if (failures === 1) log.warn({ why }, 'cannot follow the system bus, trying again')
      notice()
      // Only an abort rejects it; the loop sees that.
      await sleep(clock, backoffMs(failures, backoff, jitter), signal).catch(() => {})
    }
  }

  async look({ written, mayGo }: KnownShutdown, signal: AbortSignal): Promise<ShutdownLook> {
    const { clock, bootID, settings } = this.#parts
    const previous = this.#last ?? written
    const logind = await this.#ask(signal)
    const nowMs = clock.nowMs()
    const { report, release, lookAtMs } = decideShutdown({ logind, previous, mayGo, bootID, settings }, nowMs)
    this.#last = report
    this.#tell(previous, report)
    const isReleased = !release || (await this.#release(report))
    return { report, lookAtMs: isReleased ? lookAtMs : nowMs + releaseAgainMs }
  }

  /** For good: the next shutdown is none of ours. */
  async leave(signal: AbortSignal): Promise<void> {
    try {
      await giveBudgetBack(this.#parts, signal)
    } catch (error) {
      this.#parts.log.warn({ error: messageOf(error) }, 'logind keeps the delay of Lifeboat until the next boot')
    }
  }

  async #ask(signal: AbortSignal): Promise<LogindAnswer> {
    const { logind } = this.#parts
    try {
      const state = await logind.read(signal)
      // Not during a shutdown: it has begun with the budget of before.
      if (this.#isBudgetSettled || state.preparing) return { kind: 'known', state }
      await this.#settleBudget(state.budgetMs, signal)
      return { kind: 'known', state: await logind.read(signal) }
    } catch (error) {
      signal.throwIfAborted()
      return { kind: 'unknown', why: messageOf(error) }
    }
  }

  async #settleBudget(budgetMs: number, signal: AbortSignal): Promise<void> {
    const { log, settings } = this.#parts
    try {
      await settleBudget(this.#parts, { budgetMs, wantedMs: settings.budgetWantedMs }, signal)
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ error: messageOf(error) }, 'cannot set for how long logind delays a shutdown')
    }
    this.#isBudgetSettled = true
  }

  async #release({ going }: ShutdownReport): Promise<boolean> {
    const { lock, log } = this.#parts
    try {
      const count = await lock.end()
      if (count > 0) log.info({ shutdown: going?.id }, 'nothing holds the shutdown any more, let go of the lock')
      return true
    } catch (error) {
      log.error({ shutdown: going?.id, error: messageOf(error) }, 'cannot let go of the lock')
      return false
    }
  }

  #tell(before: ShutdownReport | undefined, now: ShutdownReport): void {
    const { log } = this.#parts
    const [was, is] = [before?.going, now.going]
    if (was !== undefined && was.id !== is?.id) log.info({ shutdown: was.id }, 'the shutdown is off')
    if (is !== undefined && (was?.id !== is.id || was.phase !== is.phase || was.at !== is.at)) {
      const { id, phase, action, at } = is
      const fields = { shutdown: id, phase, action, ...(at === undefined ? {} : { at }) }
      log.info(fields, phase === 'Scheduled' ? 'a shutdown is scheduled' : 'the machine is about to go down')
    }
    const known = new Set(before?.problems.map(({ kind }) => kind))
    for (const { kind, message } of now.problems) if (!known.has(kind)) log.warn({ problem: kind }, message)
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
