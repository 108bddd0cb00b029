/** What has been seen of a node since the view began: a status tells what is left, and not what was there. */
export interface NodeHistory {
  readonly left: number
  /** Pods that have left while the user looked. */
  readonly gone: number
  readonly isDrained: boolean
  /** When it was first seen drained, if it was not so from the start. */
  readonly drainedAtMs: number | undefined
}

export type DrainHistory = ReadonlyMap<string, NodeHistory>

export interface NodeSight {
  readonly name: string
  readonly left: number
  readonly isDrained: boolean
}

export const noHistory: DrainHistory = new Map()

/** Pods that come are more to do; pods that go have been done. */
export function remember(history: DrainHistory, sights: readonly NodeSight[], nowMs: number): DrainHistory {
  const next = new Map(history)
  for (const { name, left, isDrained } of sights) {
    const before = history.get(name)
    const gone = (before?.gone ?? 0) + Math.max(0, (before?.left ?? left) - left)
    const turned = isDrained && before !== undefined && !before.isDrained
    const drainedAtMs = isDrained ? (turned ? nowMs : before?.drainedAtMs) : undefined
    next.set(name, { left, gone, isDrained, drainedAtMs })
  }
  return next
}
