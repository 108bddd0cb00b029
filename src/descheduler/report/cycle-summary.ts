import type { CycleReport } from '../cycle/cycle.ts'

/** What the log has of a cycle: numbers, and what failed. */
export function summaryOf({ skipped, strategies }: CycleReport, elapsedMs: number) {
  const sum = (of: (strategy: CycleReport['strategies'][number]) => readonly unknown[]) =>
    strategies.reduce((count, strategy) => count + of(strategy).length, 0)
  return {
    ...(skipped === undefined ? {} : { skipped }),
    asked: sum(({ left }) => left),
    alreadyLeaving: sum(({ leaving }) => leaving),
    protected: sum(({ spared }) => spared),
    refused: sum(({ refused }) => refused),
    cut: sum(({ cut }) => cut),
    failures: strategies.flatMap(({ failure }) => (failure === undefined ? [] : [failure])),
    elapsedMs: Math.round(elapsedMs),
  }
}
