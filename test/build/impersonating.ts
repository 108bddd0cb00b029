import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'

/** The same server, met as another user: the admin of a test cluster may act as anybody. */
export function impersonating(transport: Transport, user: string): Transport {
  const asUser = (request: TransportRequest): TransportRequest => ({
    ...request,
    headers: { ...request.headers, 'impersonate-user': user },
  })
  return {
    request: (request) => transport.request(asUser(request)),
    watch: (request) => transport.watch(asUser(request)),
    // Who opened the transport closes it.
    close: async () => {},
  }
}
