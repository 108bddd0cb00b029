/** What prom-client's sampler waits for at least, between two looks. */
const samplingMs = 10

/** The longest time that nothing else could be done in a process, since it was last asked, by its metrics. */
export async function heldUpMs(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const seconds = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1])
  return Math.max(0, seconds * 1_000 - samplingMs)
}
