import type { Clock } from '../../runtime/clock.ts'
import type { RandomStream } from '../../runtime/random.ts'
import { TokenBucket } from '../../runtime/token-bucket.ts'
import type { EventState } from './build-event.ts'
import { cutNote, cutReason, eventName } from './build-event.ts'
import type { ClusterEvent } from './cluster-event.ts'
import { LruMap } from './lru-map.ts'

/** What is remembered, and how much may be said: as upstream's recorder does, which users know. */
const limits = {
  messagesMax: 10,
  messagesWithinMs: 600_000,
  burst: 25,
  ratePerSecond: 1 / 300,
  eventsMax: 4_096,
  groupsMax: 1_024,
  subjectsMax: 4_096,
}

const combinedPrefix = '(combined from similar events): '

/** When each different message of one subject, type and reason was last said. */
type Group = Map<string, number>

/**
 * Decides which Event a new one belongs to: the one that said the same before, the one that stands for many similar ones,
 * or one of its own.
 */
export class EventAggregation {
  readonly #clock: Clock
  readonly #lots: RandomStream
  readonly #events = new LruMap<EventState>(limits.eventsMax)
  readonly #groups = new LruMap<Group>(limits.groupsMax)
  readonly #buckets = new LruMap<TokenBucket>(limits.subjectsMax)

  constructor(clock: Clock, lots: RandomStream) {
    this.#clock = clock
    this.#lots = lots
  }

  /** `allowed` is false when the subject has been talked about too much; it is counted all the same. */
  observe(event: ClusterEvent): { state: EventState; allowed: boolean } {
    const { uid } = event.about.metadata
    const reason = cutReason(event.reason)
    const note = cutNote(event.note)
    const groupKey = JSON.stringify([uid, event.type, reason])
    const combined = this.#isOneTooMany(groupKey, note)
    const message = combined ? cutNote(combinedPrefix + event.note) : note
    // A combined Event has no message in its key: the latest one is shown.
    const eventKey = combined ? `combined ${groupKey}` : JSON.stringify([groupKey, note])
    const state = this.#events.getOrMake(eventKey, () => this.#newState(event, reason))
    state.message = message
    state.count++
    state.lastAtMs = this.#clock.nowMs()
    return { state, allowed: this.#bucket(uid).tryTake() }
  }

  #isOneTooMany(groupKey: string, note: string): boolean {
    const nowMs = this.#clock.monotonicMs()
    const group = this.#groups.getOrMake(groupKey, () => new Map())
    for (const [known, saidAtMs] of group) if (nowMs - saidAtMs > limits.messagesWithinMs) group.delete(known)
    if (!group.has(note) && group.size >= limits.messagesMax) return true
    group.set(note, nowMs)
    return false
  }

  #newState(event: ClusterEvent, reason: string): EventState {
    const nowMs = this.#clock.nowMs()
    return {
      name: eventName(event.about, nowMs, this.#lots.next()),
      subject: event.about,
      type: event.type,
      reason,
      firstAtMs: nowMs,
      message: '',
      lastAtMs: nowMs,
      count: 0,
    }
  }

  #bucket(uid: string): TokenBucket {
    const { burst, ratePerSecond } = limits
    return this.#buckets.getOrMake(uid, () => new TokenBucket({ clock: this.#clock, burst, ratePerSecond }))
  }
}
