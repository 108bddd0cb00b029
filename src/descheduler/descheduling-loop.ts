import { sleep, type Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { CycleReport } from './cycle/cycle.ts'
import { parsePolicy } from './policy/parse-policy.ts'
import type { Policy } from './policy/policy.ts'
import { renderPolicyProblem, UnfollowablePolicyError } from './policy/problem.ts'
import { isWithin, nextBeginMs } from './policy/window.ts'

/** A descheduler for one policy, with its watch of the cluster. */
export interface Running {
  cycle(signal: AbortSignal): Promise<CycleReport>
  /** Ends its watch, and with it most of the memory. */
  close(): Promise<void>
}

export interface LoopParts {
  readonly clock: Clock
  readonly log: Log
  readonly intervalMs: number
  /** The policy file, as it is now. */
  readonly readPolicy: () => Promise<string>
  /** Resolves when the cluster is known. Rejects if the policy cannot be followed there. */
  readonly open: (policy: Policy, signal: AbortSignal) => Promise<Running>
  /** Called after each cycle with what is wrong with the file, in words; nothing: the policy in it is followed. */
  readonly onPolicy: (problems: readonly string[]) => void
  readonly onReport: (report: CycleReport, elapsedMs: number) => void
}

/** A file that cannot be read or followed is looked at again after so long, if the interval is longer. */
const retryMs = 30_000

/** Runs cycles until the signal aborts. The policy is read again before each, and followed once it is right. */
export async function runLoop(parts: LoopParts, signal: AbortSignal): Promise<void> {
  const { clock, log, intervalMs } = parts
  const followed = new FollowedPolicy(parts)
  try {
    while (!signal.aborted) {
      const beganMs = clock.monotonicMs()
      let nextMs = intervalMs
      try {
        const waitMs = await followed.cycleOrWait(signal)
        if (waitMs !== undefined) nextMs = waitMs
      } catch (error) {
        if (signal.aborted) break
        log.error({ error: error instanceof Error ? error.message : String(error) }, 'a cycle failed')
        nextMs = Math.min(intervalMs, retryMs)
      }
      parts.onPolicy(followed.problems)
      const elapsedMs = clock.monotonicMs() - beganMs
      await sleep(clock, Math.max(0, nextMs - elapsedMs), signal).catch(() => {})
    }
  } finally {
    await followed.close()
  }
}

class FollowedPolicy {
  readonly #parts: LoopParts
  #text: string | undefined
  #policy: Policy | undefined
  #running: Running | undefined
  /** In the file. */
  #mistakes: readonly string[] = []
  /** To reading the file, or to following it on this cluster. */
  #obstacles: readonly string[] = []

  constructor(parts: LoopParts) {
    this.#parts = parts
  }

  /** Why the policy in the file is not followed, as of the last cycle. */
  get problems(): readonly string[] {
    return [...this.#mistakes, ...this.#obstacles]
  }

  /** Runs a cycle; or answers how long to wait until the window of the policy opens. */
  async cycleOrWait(signal: AbortSignal): Promise<number | undefined> {
    const { clock, onReport } = this.#parts
    this.#obstacles = []
    await this.#readAgain()
    const policy = this.#policy
    if (policy === undefined) throw new Error('there is no policy to follow')
    const { window } = policy.lifeboat
    if (window !== undefined && !isWithin(window, clock.nowMs())) {
      await this.#closeRunning()
      // The file may change meanwhile, and the window with it.
      return Math.min(nextBeginMs(window, clock.nowMs()) - clock.nowMs(), Math.max(this.#parts.intervalMs, retryMs))
    }
    this.#running ??= await this.#open(policy, signal)
    const beganMs = clock.monotonicMs()
    const report = await this.#running.cycle(signal)
    onReport(report, clock.monotonicMs() - beganMs)
    return undefined
  }

  async close(): Promise<void> {
    await this.#closeRunning()
  }

  async #readAgain(): Promise<void> {
    const { log } = this.#parts
    const text = await this.#readText()
    if (text === this.#text) return
    const read = parsePolicy(text)
    for (const warning of read.warnings) log.warn({ warning }, 'the policy has parts without effect')
    if ('problems' in read) {
      const problems = read.problems.map(renderPolicyProblem)
      this.#mistakes = problems
      if (this.#policy === undefined) throw new Error(`the policy is wrong: ${problems.join('; ')}`)
      this.#text = text
      log.error({ problems }, 'the policy changed and is wrong; the one before is followed on')
      return
    }
    if (this.#policy !== undefined) log.info({}, 'the policy changed')
    this.#text = text
    this.#policy = read.policy
    this.#mistakes = []
    await this.#closeRunning()
  }

  async #readText(): Promise<string> {
    try {
      return await this.#parts.readPolicy()
    } catch (error) {
      this.#obstacles = [error instanceof Error ? error.message : String(error)]
      throw error
    }
  }

  async #open(policy: Policy, signal: AbortSignal): Promise<Running> {
    try {
      return await this.#parts.open(policy, signal)
    } catch (error) {
      if (error instanceof UnfollowablePolicyError) this.#obstacles = error.problems
      throw error
    }
  }

  async #closeRunning(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.close()
  }
}
