import { leases } from '../../api/kubernetes/resources.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import { assert } from '../../runtime/assert.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random, RandomStream } from '../../runtime/random.ts'
import type { Kube } from '../client/client.ts'
import {
  buildHeldSpec,
  buildReleasedLease,
  decideLease,
  defaultLeaseDurations,
  isRenewedByAnother,
  observeLease,
  type LeaseDurations,
  type LeaseView,
} from './decide-lease.ts'
import { isKubeError, unlessNotFound } from '../client/errors.ts'

export interface LeaderElectionOptions {
  /** Not fenced by this election: it has to write the lease before it leads. */
  readonly kube: Kube
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly namespace: string
  readonly name: string
  /** Different for every process, also for two that run on one host. */
  readonly identity: string
  readonly durations?: LeaseDurations
}

/** How long one try may take: a slow answer must leave time for another try before leading ends. */
const tryTimeoutShare = 0.5

const releaseAttemptsMax = 3

/**
 * Makes sure that one of several candidates acts at a time. A holder stops `renewWithinMs` after it sent its last
 * successful renewal; another may start `leaseMs` after it saw it, which is later. Both measure with their own
 * monotonic clock, and the holder with its wall clock too, which continues while a machine sleeps.
 */
export class LeaderElection {
  readonly #options: LeaderElectionOptions
  readonly #durations: LeaseDurations
  readonly #jitter: RandomStream
  #view: LeaseView
  #heldUntil = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY }
  #renewedByAnotherMs = Number.NEGATIVE_INFINITY
  /** A claim was sent and no answer heard: the lease may be ours although we do not lead. */
  #isClaimOpen = false
  #holderSeen = ''
  #outOfReach = false

  constructor(options: LeaderElectionOptions) {
    this.#options = options
    this.#durations = options.durations ?? defaultLeaseDurations
    const { leaseMs, renewWithinMs, retryEveryMs } = this.#durations
    assert(leaseMs > renewWithinMs && renewWithinMs > retryEveryMs, 'lease > renew within > retry every')
    this.#jitter = options.random.stream('kube/leader-election')
    this.#view = { lease: undefined, unchangedSinceMs: options.clock.monotonicMs(), isStale: true }
  }

  /** Asked right before acting, every time: between two turns of the event loop a process may have slept for hours. */
  isLeading(): boolean {
    const { clock } = this.#options
    return clock.monotonicMs() < this.#heldUntil.monotonicMs && clock.nowMs() < this.#heldUntil.wallMs
  }

  /** Another candidate was seen to hold the lease, and to renew it, less than the time of a lease ago. */
  isLedByAnother(): boolean {
    return this.#options.clock.monotonicMs() < this.#renewedByAnotherMs + this.#durations.leaseMs
  }

  /**
   * Waits for its turn and calls `lead`; the signal it passes aborts when the turn is over. Stands again once `lead`
   * has returned. When `signal` aborts it waits for `lead` to return, then gives the lease away at once.
   */
  async run(signal: AbortSignal, lead: (leading: AbortSignal) => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      if (await this.#tryToHold(signal)) await this.#leadWhileHeld(signal, lead)
      else await this.#pause(signal)
    }
    await this.#release()
  }

  async #leadWhileHeld(signal: AbortSignal, lead: (leading: AbortSignal) => Promise<void>): Promise<void> {
    const { log } = this.#options
    const turn = new AbortController()
    const leading = AbortSignal.any([signal, turn.signal])
    log.info({ identity: this.#options.identity }, 'leading')
    const ended = lead(leading).finally(() => turn.abort(new Error('lead returned')))
    // Its failure is thrown below; until then it must not count as unhandled.
    ended.catch(() => {})
    try {
      while (!leading.aborted && this.isLeading()) {
        await this.#pause(leading)
        if (!leading.aborted) await this.#tryToHold(leading)
      }
    } finally {
      turn.abort(new Error('not leading any more'))
      await ended
    }
    if (!signal.aborted) log.warn({ identity: this.#options.identity }, 'not leading any more')
  }

  /** Between tries, but never beyond the end of the turn. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const retryMs = this.#durations.retryEveryMs * (1 + 0.1 * this.#jitter.next())
    const leftMs = this.#heldUntil.monotonicMs - clock.monotonicMs()
    await sleep(clock, leftMs > 0 ? Math.min(retryMs, leftMs) : retryMs, signal).catch(() => {})
  }

  /** True when the lease is ours as of now. Failing is ordinary here: the next try, or the end of the turn, follows. */
  async #tryToHold(signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#options
    const timeout = new AbortController()
    const timeoutMs = this.#durations.renewWithinMs * tryTimeoutShare
    using _timer = clock.timer(timeoutMs, () => timeout.abort(new Error(`no answer within ${timeoutMs} ms`)))
    // Counted from before the request: others count from when they see it, which is later.
    const sentAt = { monotonicMs: clock.monotonicMs(), wallMs: clock.nowMs() }
    try {
      const lease = await this.#claim(AbortSignal.any([signal, timeout.signal]))
      if (lease === undefined) return false
      this.#observe(lease)
      this.#isClaimOpen = false
      this.#outOfReach = false
      const { renewWithinMs } = this.#durations
      this.#renewedByAnotherMs = Number.NEGATIVE_INFINITY
      this.#heldUntil = { monotonicMs: sentAt.monotonicMs + renewWithinMs, wallMs: sentAt.wallMs + renewWithinMs }
      return this.isLeading()
    } catch (error) {
      // Whatever happened, the lease may be another one now: look before the next write.
      this.#view = { ...this.#view, isStale: true }
      // A conflict is another candidate who was faster; the next look says who.
      if (signal.aborted || isKubeError(error, 'conflict', 'alreadyExists')) return false
      if (!this.#outOfReach)
        log.warn({ error: error instanceof Error ? error.message : String(error) }, 'cannot reach the lease')
      this.#outOfReach = true
      return false
    }
  }

  async #claim(signal: AbortSignal): Promise<Lease | undefined> {
    const { kube, clock, identity, namespace, name } = this.#options
    // A holder knows what the lease says: it wrote it. One request a renewal, not two.
    if (!this.isLeading() || this.#view.isStale) {
      this.#observe(await this.#read(signal))
      this.#isClaimOpen = false
    }
    const decision = decideLease(this.#view, identity, clock.monotonicMs())
    if (decision.kind === 'wait') {
      this.#noteHolder(decision.holder)
      return undefined
    }
    const { lease } = this.#view
    const spec = buildHeldSpec(lease, { identity, leaseMs: this.#durations.leaseMs }, clock.nowMs())
    this.#isClaimOpen = true
    return lease === undefined
      ? kube.create(leases, { metadata: { namespace, name }, spec }, { signal })
      : kube.replace(leases, { metadata: lease.metadata, spec }, { signal })
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { kube, namespace, name } = this.#options
    return unlessNotFound(kube.get(leases, { namespace, name }, { signal }))
  }

  #observe(lease: Lease | undefined): void {
    const { clock, identity } = this.#options
    const before = this.#view
    this.#view = observeLease(before, lease, clock.monotonicMs())
    if (isRenewedByAnother(before, this.#view, identity)) this.#renewedByAnotherMs = this.#view.unchangedSinceMs
  }

  #noteHolder(holder: string): void {
    if (holder !== this.#holderSeen) this.#options.log.info({ holder }, 'waiting to lead')
    this.#holderSeen = holder
  }

  /** Best effort: otherwise a candidate that waits gets the lease 15 s later. */
  async #release(): Promise<void> {
    const { kube, clock, identity } = this.#options
    const mayHold = this.isLeading() || this.#isClaimOpen
    this.#heldUntil = { monotonicMs: Number.NEGATIVE_INFINITY, wallMs: Number.NEGATIVE_INFINITY }
    if (!mayHold) return
    const timeout = new AbortController()
    using _timer = clock.timer(this.#durations.retryEveryMs, () => timeout.abort(new Error('releasing took too long')))
    const { signal } = timeout
    for (let attempts = 1; attempts <= releaseAttemptsMax; attempts++) {
      try {
        // A renewal that was cut off may have arrived, even after this look: then the version is another one.
        const lease = this.#view.isStale ? await this.#read(signal) : this.#view.lease
        if (lease?.spec?.holderIdentity !== identity) return
        await kube.replace(leases, buildReleasedLease(lease, clock.nowMs()), { signal })
        return
      } catch (error) {
        this.#view = { ...this.#view, isStale: true }
        if (!isKubeError(error, 'conflict')) return
      }
    }
  }
}
