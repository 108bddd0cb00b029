/** Resolves when the signal aborts, or at once if it has. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
}
