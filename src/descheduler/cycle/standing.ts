import type { PodView } from '../view.ts'

/** What earlier cycles, and others, have done to the pods of a view. */
export interface Standing {
  /** UIDs of pods that are on their way: their request stands, no matter which component asked. */
  readonly leaving: ReadonlySet<string>
  /** UIDs of pods whose request was taken back at the beginning of this cycle: they are not asked in the same breath. */
  readonly takenBack: ReadonlySet<string>
  /** UIDs of pods whose request ran out of time: others go first now. */
  readonly lastResort: ReadonlySet<string>
  /** By UID, until when a pod is left alone because it came back to the node that the one before it left. */
  readonly leftAloneUntilMs: ReadonlyMap<string, number>
}

export const nothingStands: Standing = {
  leaving: new Set(),
  takenBack: new Set(),
  lastResort: new Set(),
  leftAloneUntilMs: new Map(),
}

/** The order in which plugins look at pods, before their own: see PluginWorld. */
export function rankIn({ leaving, lastResort }: Standing, { uid }: PodView): number {
  if (leaving.has(uid)) return 0
  return lastResort.has(uid) ? 2 : 1
}
