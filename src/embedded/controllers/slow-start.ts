/** No more than this many at once, whatever is missing. */
const burstMax = 500

/**
 * Makes many of the same in batches of 1, 2, 4 and so on, and stops after a batch in which one failed: what a quota or
 * a webhook refuses once it will refuse again. Returns the first failure.
 */
export async function slowStart(count: number, make: (index: number) => Promise<unknown>): Promise<unknown> {
  const total = Math.min(count, burstMax)
  for (let done = 0, size = 1; done < total; done += size, size = Math.min(size * 2, total - done)) {
    const batch = Array.from({ length: size }, (_, offset) => make(done + offset))
    const failed = (await Promise.allSettled(batch)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') return failed.reason
  }
  return undefined
}
