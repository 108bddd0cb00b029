import type { Transport, TransportRequest } from './transport.ts'

/** A write that was kept back. It surely did not happen, and trying again is up to the next leader. */
export class NotLeadingError extends Error {
  override readonly name = 'NotLeadingError'

  constructor(request: TransportRequest) {
    super(`${request.method} ${request.path}: kept back, not the leader any more`)
  }
}

/**
 * Lets writes through only while `mayWrite` says so. It is asked when the request is about to leave, after every wait
 * for a place, a token or a credential: a process that was paused in between finds out here that its time is over.
 */
export function fencedTransport(transport: Transport, mayWrite: () => boolean): Transport {
  const guarded = (request: TransportRequest): TransportRequest => {
    if (request.method === 'GET') return request
    return {
      ...request,
      beforeSending: () => {
        request.beforeSending?.()
        if (!mayWrite()) throw new NotLeadingError(request)
      },
    }
  }
  return {
    request: (request) => transport.request(guarded(request)),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
}
