import type { Transport } from '../../kube/client/transport.ts'

/** What a client asked of the API server to get pods off their nodes. */
export interface EvictionTally {
  asked: number
  refused: number
  /** Names of pods that were deleted, which asks no budget. */
  readonly deleted: string[]
}

export function newTally(): EvictionTally {
  return { asked: 0, refused: 0, deleted: [] }
}

/** The same transport, with every eviction and deletion of a pod on its way counted. */
export function countingEvictions(transport: Transport, tally: EvictionTally): Transport {
  return {
    request: async (request) => {
      const response = await transport.request(request)
      const { method, path } = request
      const isFine = response.status < 300
      if (method === 'POST' && path.endsWith('/eviction')) {
        tally.asked++
        if (!isFine && response.status !== 404) tally.refused++
      }
      const [, deleted] = /\/pods\/([^/]+)$/.exec(path) ?? []
      if (method === 'DELETE' && deleted !== undefined && isFine) tally.deleted.push(deleted)
      return response
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
}
