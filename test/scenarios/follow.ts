import { setTimeout as pause } from 'node:timers/promises'
import { type Transport, TransportError } from '../../src/kube/client/transport.ts'

interface Versioned {
  readonly metadata: { readonly resourceVersion?: string }
}

/**
 * Hears of every change of the objects at a path, from those that are there on: by a watch, which misses nothing, where a
 * poll sees only what lasts. An API server ends the watch of a reader that is too slow for it, as on a busy machine, and our
 * transport one that is silent; the next watch begins with what came after.
 */
export async function follow(
  transport: Transport,
  path: string,
  hear: (type: string, object: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  const stop = new AbortController()
  let version: { resourceVersion?: string } = {}
  const open = async () => {
    // A watch without bookmarks is silent while nothing changes, which our transport takes for a dead connection.
    const query = { watch: 'true', allowWatchBookmarks: 'true', ...version }
    const answer = await transport.watch({ method: 'GET', path, query, signal: stop.signal })
    if (answer.kind === 'refused') throw new Error(`${path}: ${answer.status}`)
    return answer.events
  }
  const hearAll = async (events: Awaited<ReturnType<typeof open>>) => {
    try {
      for await (const { type, object } of events) {
        if (type === 'ERROR') throw new Error(`${path}: ${JSON.stringify(object)}`)
        const { resourceVersion } = (object as Versioned).metadata
        if (resourceVersion !== undefined) version = { resourceVersion }
        if (type !== 'BOOKMARK') hear(type, object)
      }
    } catch (error) {
      // No bookmark tells of a version that the watch began with: on 1.32 a kind that never changes stays silent.
      if (!(error instanceof TransportError)) throw error
    }
  }
  const read = async (first: Awaited<ReturnType<typeof open>>) => {
    try {
      for (let events = first; !stop.signal.aborted; events = await open()) {
        await hearAll(events)
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
  }
  const reading = read(await open())
  return {
    stop: async () => {
      stop.abort(new Error('seen enough'))
      await Promise.race([reading, pause(1_000)])
    },
  }
}
