/**
 * The one seam between Lifeboat and a cluster. There are three: undici to a real API server (undici-transport.ts), the
 * in-process call into the embedded one, and wrappers of either that inject faults.
 */
export interface Transport {
  /** Answers with whatever status the server gave; throws only TransportError, or the signal's reason. */
  request(request: TransportRequest): Promise<TransportResponse>
  /** As request, for `watch=true`: a 200 comes with a stream of events, anything else with its body. */
  watch(request: TransportRequest): Promise<TransportWatch>
  close(): Promise<void>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface TransportRequest {
  readonly method: Method
  /** Absolute path without query, each segment already escaped: `/api/v1/namespaces/shop/pods`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** It lets other requests go first, for so long at most; the client sees to that. */
  readonly yieldsForMs?: number
  /**
   * Of a watch: whether an event is worth parsing, by its JSON. One that is not is left out. Asked only where events come
   * as text, so the caller must cope with all of them.
   */
  readonly isWorthParsing?: (line: Buffer) => boolean
  /** Called at the last moment before the request leaves. What it throws keeps the request back, and is thrown. */
  readonly beforeSending?: () => void
}

export interface TransportResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Parsed JSON, or the text where it is not JSON. */
  readonly body: unknown
}

export type TransportWatch =
  | { readonly kind: 'stream'; readonly events: AsyncIterable<RawWatchEvent> }
  | ({ readonly kind: 'refused' } & TransportResponse)

export interface RawWatchEvent {
  readonly type: string
  readonly object: unknown
}

/** No answer. `sent` tells whether the server may have seen the request, and so may have carried it out. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly sent: 'no' | 'maybe'

  constructor(message: string, options: { sent: 'no' | 'maybe'; cause?: unknown }) {
    super(message, { cause: options.cause })
    this.sent = options.sent
  }
}
