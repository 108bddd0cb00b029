import type { BudgetFile } from '../../src/agent/shutdown/budget-file.ts'
import type { Logind } from '../../src/agent/shutdown/busctl.ts'
import type { LogindState, LogindLock } from '../../src/agent/shutdown/logind-state.ts'

const ours: LogindLock = { what: 'shutdown', who: 'Lifeboat', mode: 'delay' }

/** A logind in memory, with the lock of an agent and its drop-in. It says when it is told to go down. */
export class PlayedLogind implements Logind {
  state: LogindState = { preparing: false, scheduled: undefined, budgetMs: 5_000, locks: [ours] }
  /** Whether anybody answers on the bus. */
  isAway = false
  text: string | undefined
  reads = 0
  reloads = 0
  released = 0
  /** How many follow it now. */
  followers = 0
  #notices = new Set<() => void>()
  #ends = new Set<(why: string) => void>()

  /** Changes what it says, and tells of it. */
  say(more: Partial<LogindState>): void {
    this.state = { ...this.state, ...more }
    for (const notice of this.#notices) notice()
  }

  /** As when the bus ends. */
  goAway(): void {
    this.isAway = true
    for (const end of this.#ends) end('the bus has ended')
  }

  async read(): Promise<LogindState> {
    this.reads++
    if (this.isAway) throw new Error('nobody answers on the bus')
    return this.state
  }

  async follow(notice: () => void, signal: AbortSignal): Promise<string> {
    if (this.isAway) return 'nobody answers on the bus'
    this.followers++
    const { promise, resolve } = Promise.withResolvers<string>()
    this.#notices.add(notice)
    this.#ends.add(resolve)
    signal.addEventListener('abort', () => resolve('aborted'), { once: true })
    const why = await promise
    this.#notices.delete(notice)
    this.#ends.delete(resolve)
    this.followers--
    return why
  }

  async reload(): Promise<void> {
    if (this.isAway) throw new Error('nobody answers on the bus')
    this.reloads++
    const [, seconds = '5'] = /InhibitDelayMaxSec=(\d+)/.exec(this.text ?? '') ?? []
    this.state = { ...this.state, budgetMs: Number(seconds) * 1_000 }
  }

  /** The process that has the lock. */
  readonly lock = {
    end: async () => {
      const before = this.state.locks
      this.state = { ...this.state, locks: before.filter(({ who }) => who !== ours.who) }
      const count = before.length - this.state.locks.length
      this.released += count
      return count
    },
  }

  /** The drop-in that it reads when it is told to. */
  readonly file: BudgetFile = {
    read: async () => this.text,
    write: async (text) => {
      this.text = text
    },
    remove: async () => {
      this.text = undefined
    },
  }
}
