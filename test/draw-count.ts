import { isContinuousIntegration } from './continuous-integration.ts'

/**
 * How many cases a long property draws: all of them in continuous integration, where they are the same in every run, and
 * half of them elsewhere, where each run draws others.
 */
export function drawCount(all: number): number {
  return isContinuousIntegration() ? all : all / 2
}
