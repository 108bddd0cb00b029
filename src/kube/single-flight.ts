/** Waits for the promise, but no longer than the signal: then rejects with its reason. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/**
 * Many callers, one piece of work at a time: who comes while it runs shares its outcome. A caller that gives up leaves
 * alone; the work continues for the others.
 */
export class SingleFlight<T> {
  #running: Promise<T> | undefined

  async run(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    this.#running ??= work().finally(() => {
      this.#running = undefined
    })
    return await unlessAborted(this.#running, signal)
  }
}
