import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'

/** Which watches are open, as `path?selector`. */
export function countWatches(transport: Transport): { readonly transport: Transport; readonly open: () => string[] } {
  const open = new Set<TransportRequest>()
  return {
    open: () => [...open].map(({ path, query }) => `${path}?${query?.['fieldSelector'] ?? ''}`),
    transport: {
      request: (request) => transport.request(request),
      watch: (request) => {
        open.add(request)
        request.signal?.addEventListener('abort', () => open.delete(request))
        return transport.watch(request)
      },
      close: () => transport.close(),
    },
  }
}
