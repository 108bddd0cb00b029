import { assert } from './assert.ts'
import type { RandomStream } from './random.ts'

export interface BackoffOptions {
  readonly initialMs: number
  readonly maxMs: number
  /** How far a delay may stray from its nominal value, as a share of it: 0.1 is plus or minus 10 %. */
  readonly jitter: number
}

/** The delay after the given number of failures in a row (1 is the first): doubling from initialMs up to maxMs. */
export function backoffMs(failures: number, options: BackoffOptions, random: RandomStream): number {
  assert(failures >= 1, 'a back-off follows at least one failure')
  const nominalMs = Math.min(options.maxMs, options.initialMs * 2 ** Math.min(failures - 1, 40))
  return nominalMs * (1 + options.jitter * (2 * random.next() - 1))
}
