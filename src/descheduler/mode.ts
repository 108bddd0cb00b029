import type { PodView } from './view.ts'

/** How pods are asked to leave. A dry run asks none. */
export const modes = ['evacuate', 'evict'] as const
export type Mode = (typeof modes)[number]

/** A pod may ask for evictions only, as KEP-1397 has it. */
export const isEvicted = (mode: Mode, { marks }: Pick<PodView, 'marks'>): boolean =>
  mode === 'evict' || marks.requestEvictOnly
