/** Does the work for 0 to `total` - 1, so many at once. */
export async function inParallel(total: number, atOnce: number, work: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < total) await work(next++)
    }),
  )
}
