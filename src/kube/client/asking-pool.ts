import { Pool, type Dispatcher } from 'undici'

/** Options of one request beside those of undici. */
interface Asking {
  /** Throws what keeps the request back. */
  readonly beforeSending?: () => void
}

/**
 * A pool that asks once more when a request is really written, and not when it is handed over: in between it may wait
 * for a connection for longer than a Lease lasts. Over HTTP/1.1 undici writes the request in the same turn of the event
 * loop. HTTP/2 takes another turn, in which a process can be paused.
 */
export class AskingPool extends Pool {
  override dispatch(options: Dispatcher.DispatchOptions & Asking, handler: Dispatcher.DispatchHandler): boolean {
    const { beforeSending } = options
    if (beforeSending !== undefined) {
      const start = handler.onRequestStart?.bind(handler)
      handler.onRequestStart = (controller, context) => {
        beforeSending()
        start?.(controller, context)
      }
    }
    return super.dispatch(options, handler)
  }
}
