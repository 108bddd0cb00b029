import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { PodRef } from '../api/evacuation/pod-reference.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Asked, Asking } from './asking.ts'
import { runCycle, type CycleReport, type PluginTable, type Strategy } from './cycle/cycle.ts'
import type { CycleState } from './cycle/cycle-state.ts'
import { driveCycle } from './cycle/drive-cycle.ts'
import { LiveLimits } from './cycle/live-limits.ts'
import { leftAlone, pruned, withDepartures, withWithdrawal, type Memory } from './memory.ts'
import type { MemoryStore } from './memory-store.ts'
import { OwnRequests } from './own-requests.ts'
import type { Evictor } from './plugin.ts'
import type { Policy, Profile } from './policy/policy.ts'
import { promisedAmong } from './promises.ts'
import { expired, podsWantedGone } from './requests.ts'
import type { Standing } from './cycle/standing.ts'
import type { ClusterView, MetricsView, PodView } from './view.ts'

export interface DeschedulerParts {
  readonly clock: Clock
  /** Lets everything else that is ready run first. */
  readonly turn: () => Promise<void>
  readonly watch: Watched
  readonly measure: (policy: Policy, signal: AbortSignal) => Promise<MetricsView>
  readonly plugins: PluginTable
  readonly evictorFor: (profile: Profile, view: ClusterView, state: CycleState) => Evictor
  readonly asking: Asking
  /** Takes back a request of ours. */
  readonly withdraw: (pod: PodRef, signal: AbortSignal) => Promise<unknown>
  readonly memory: Pick<MemoryStore, 'read' | 'write'>
  /** Requests that are older are taken back. Undefined: none are. */
  readonly requestTtlMs: number | undefined
  readonly onAsked?: (pod: PodView, strategy: Strategy, asked: Asked) => void
  readonly onEnded?: (strategy: Strategy, elapsedMs: number) => void
  readonly onWithdrawn?: (pod: PodRef) => void
  /** The memory could not be written. It is tried again with the next cycle. */
  readonly onMemoryProblem?: (error: unknown) => void
}

/** See ClusterWatch. */
export interface Watched {
  view(nowMs: number, metrics: MetricsView): ClusterView
  evacuations(): readonly Evacuation[]
  onEvacuation(handler: (evacuation: Evacuation) => void): Disposable
}

/** Runs cycles, one after the other. What it must know after a restart is in the cluster. */
export class Descheduler {
  readonly #parts: DeschedulerParts
  readonly #requests: OwnRequests

  constructor(parts: DeschedulerParts) {
    this.#parts = parts
    this.#requests = new OwnRequests(parts.clock)
  }

  async cycle(policy: Policy, signal: AbortSignal): Promise<CycleReport> {
    const { clock, watch, memory, asking, turn } = this.#parts
    const { memory: remembered, takenBack } = await this.#withdrawExpired(await memory.read(signal), signal)
    const view = watch.view(clock.nowMs(), await this.#parts.measure(policy, signal))
    // Each step looks at all pods, which are many.
    await turn()
    const { leaving: promised, openMs } = promisedAmong(view.pods, remembered.promisedMs, view.nowMs)
    const standing = this.#standing(policy, view, { memory: remembered, takenBack, promised })
    const live = new LiveLimits(policy.limits, view.pods, standing.leaving)
    const notes: Notes = { memory: remembered, promisedMs: new Map(openMs), left: [] }
    using _others = watch.onEvacuation((evacuation) => live.note(evacuation))
    await turn()
    const cycle = runCycle({
      view,
      policy,
      standing,
      plugins: this.#parts.plugins,
      evictorFor: (profile, state) => this.#parts.evictorFor(profile, view, state),
    })
    try {
      return await driveCycle(cycle, {
        ...this.#parts,
        asking: { ask: (pod, strategy, stop) => this.#ask(pod, notes, () => asking.ask(pod, strategy, stop)) },
        signal,
        limitFor: (pod) => live.limitFor(pod),
        onAsked: (pod, strategy, asked) => {
          if (asked.kind !== 'refused') {
            notes.left.push(pod)
            live.count(pod)
          }
          this.#parts.onAsked?.(pod, strategy, asked)
        },
      })
    } finally {
      await this.#remember(policy, view, notes)
    }
  }

  /**
   * Nothing shows an eviction in the background until its pod is marked: it is noted first, and asked for then. So the
   * next process counts it, whenever this one dies.
   */
  async #ask({ uid, marks }: PodView, notes: Notes, ask: () => Promise<Asked>): Promise<Asked> {
    if (marks.requestEvictOnly) {
      notes.promisedMs.set(uid, this.#parts.clock.nowMs())
      await this.#writeWithin({ ...notes.memory, promisedMs: new Map(notes.promisedMs) })
    }
    const asked = await ask()
    if (asked.kind !== 'promised') notes.promisedMs.delete(uid)
    if (asked.kind === 'requested' && this.#parts.asking.isPretended !== true) this.#requests.note(uid)
    return asked
  }

  /** Notes first, then takes back: whose request ran out of time must rank last also for the next process. */
  async #withdrawExpired(memory: Memory, signal: AbortSignal): Promise<Remembered> {
    const { clock, watch, withdraw, requestTtlMs } = this.#parts
    if (requestTtlMs === undefined) return { memory, takenBack: new Set() }
    const nowMs = clock.nowMs()
    const old = expired(watch.evacuations(), { ttlMs: requestTtlMs, nowMs })
    let noted = memory
    for (const { pod } of old) noted = withWithdrawal(noted, pod.uid, nowMs)
    await this.#parts.memory.write(noted, signal)
    for (const { pod } of old) {
      await withdraw(pod, signal)
      this.#parts.onWithdrawn?.(pod)
    }
    // What others want, too, is on its way all the same.
    return { memory: noted, takenBack: new Set(old.filter(({ isShared }) => !isShared).map(({ pod }) => pod.uid)) }
  }

  #standing({ lifeboat }: Policy, view: ClusterView, { memory, takenBack, promised }: Known): Standing {
    const wanted = podsWantedGone(this.#parts.watch.evacuations())
    const unseen = this.#requests.unseen(wanted)
    const leaving = [...wanted, ...unseen, ...promised]
    return {
      leaving: new Set(leaving.filter((uid) => !takenBack.has(uid))),
      takenBack,
      lastResort: new Set(memory.withdrawnMs.keys()),
      leftAloneUntilMs: leftAlone(memory, view, lifeboat.returnBackoffMs),
    }
  }

  async #remember(policy: Policy, view: ClusterView, { memory, promisedMs, left }: Notes): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    const isPatient = policy.lifeboat.returnBackoffMs !== undefined
    const next = withDepartures({ ...memory, promisedMs }, isPatient ? left : [], nowMs)
    // Also when the cycle was cut short: its requests stand.
    await this.#writeWithin(pruned(next, view, nowMs))
  }

  /** A cycle must not wait forever: what it does, and its report, are worth more than the memory. */
  async #writeWithin(memory: Memory): Promise<void> {
    const late = new AbortController()
    using _timer = this.#parts.clock.timer(rememberWithinMs, () => late.abort(new Error('writing it took too long')))
    try {
      await this.#parts.memory.write(memory, late.signal)
    } catch (error) {
      this.#parts.onMemoryProblem?.(error)
    }
  }
}

const rememberWithinMs = 5_000

/** What is to be remembered of a cycle. */
interface Notes {
  /** As it was when the cycle began. */
  readonly memory: Memory
  /** By UID, when an eviction in the background was asked for that bears no mark yet. */
  readonly promisedMs: Map<string, number>
  readonly left: PodView[]
}

interface Known extends Remembered {
  /** UIDs of pods that others have promised to take away. */
  readonly promised: ReadonlySet<string>
}

interface Remembered {
  readonly memory: Memory
  /** UIDs of pods whose request has just been taken back, though the watch may still show it. */
  readonly takenBack: ReadonlySet<string>
}
