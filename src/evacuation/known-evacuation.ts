import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import { decide } from './decide.ts'
import {
  seeProgress,
  withCountedProgress,
  type Claims,
  type EvacuationSettings,
  type EvacuationView,
  type LastEviction,
  type SeenProgress,
} from './view.ts'

/** What this process knows of an Evacuation. Nothing of it that a restart could not do without. */
export type Known = {
  readonly evacuation: Evacuation
  pod?: Pod | undefined
  lastEviction?: LastEviction | undefined
  claims?: Claims
  progress?: SeenProgress
}

export interface Moment {
  readonly settings: EvacuationSettings
  readonly nowMs: number
  readonly leadingSinceMs: number
}

/** Remembers what progress it has seen. */
export function viewOf(known: Known, moment: Moment): EvacuationView {
  known.progress = seeProgress(known.progress, known.evacuation, moment)
  const evacuation = withCountedProgress(known.evacuation, known.progress)
  const { pod, lastEviction, claims } = known
  return { evacuation, pod, lastEviction, claims, settings: moment.settings }
}

/** Whether its pod, whose eviction was refused, would be evicted now if the back-off were over. */
export function wouldEvict(known: Known, moment: Moment): boolean {
  if (known.lastEviction?.kind !== 'refused') return false
  return decide(viewOf({ ...known, lastEviction: undefined }, moment), moment.nowMs).kind === 'evict'
}
