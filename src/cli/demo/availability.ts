import type { Pod } from '../../api/kubernetes/core.ts'
import { isReady } from '../../api/kubernetes/pod-availability.ts'

interface Standing {
  readonly wanted: number
  ready: number
  /** Undefined: it is not below. */
  belowSinceMs: number | undefined
  belowMs: number
}

/**
 * Measures for how long applications had fewer ready pods than wanted. Fed with every change of a pod, it misses
 * nothing; a poll sees only what lasts.
 */
export class AvailabilityMeter {
  readonly #standings: Map<string, Standing>
  /** Ready pods by UID. */
  readonly #ready = new Map<string, string>()

  constructor(wanted: ReadonlyMap<string, number>, nowMs: number) {
    this.#standings = new Map(
      Array.from(wanted, ([app, count]) => [app, { wanted: count, ready: 0, belowSinceMs: nowMs, belowMs: 0 }]),
    )
  }

  /** A pod as it is now, or that it is gone. */
  note(pod: Pod, isGone: boolean, nowMs: number): void {
    const { uid, labels } = pod.metadata
    const app = labels?.['app'] ?? ''
    const standing = this.#standings.get(app)
    if (standing === undefined) return
    if (!isGone && isReady(pod)) this.#ready.set(uid, app)
    else this.#ready.delete(uid)
    standing.ready = [...this.#ready.values()].filter((name) => name === app).length
    settle(standing, nowMs)
  }

  /** What was before does not count. */
  restart(nowMs: number): void {
    for (const standing of this.#standings.values()) {
      standing.belowMs = 0
      standing.belowSinceMs = standing.ready < standing.wanted ? nowMs : undefined
    }
  }

  belowMs(app: string, nowMs: number): number {
    const { belowMs = 0, belowSinceMs } = this.#standings.get(app) ?? {}
    return belowMs + (belowSinceMs === undefined ? 0 : nowMs - belowSinceMs)
  }

  /** Those that have too few ready pods at the moment. */
  short(): string[] {
    return [...this.#standings].filter(([, { ready, wanted }]) => ready < wanted).map(([app]) => app)
  }
}

function settle(standing: Standing, nowMs: number): void {
  const isBelow = standing.ready < standing.wanted
  if (isBelow) {
    standing.belowSinceMs ??= nowMs
    return
  }
  if (standing.belowSinceMs !== undefined) standing.belowMs += nowMs - standing.belowSinceMs
  standing.belowSinceMs = undefined
}
