import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'
import type { Road } from '../scenarios/road.ts'

/** What a process within this one reaches the API server by, where a story may hold its requests up. */
export function transportOnRoad(transport: Transport, road: Road): Transport {
  const passing = ({ method, path, query = {}, signal }: TransportRequest) => ({
    method,
    path,
    query: new URLSearchParams(query),
    signal,
  })
  return {
    request: async (request) => {
      await road.pass(passing(request), 'request')
      const answer = await transport.request(request)
      await road.pass(passing(request), 'answer')
      return answer
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
}
