import type {
  RawWatchEvent,
  Transport,
  TransportRequest,
  TransportResponse,
  TransportWatch,
} from '../kube/client/transport.ts'
import type { ApiServer } from './server/api-server.ts'
import { cloneJson } from './server/json-value.ts'
import type { ApiAnswer, User } from './server/request.ts'

/** One door to the embedded API server: a call within the process, without serialization, as the given user. */
export class InProcessTransport implements Transport {
  readonly #server: ApiServer
  readonly #user: User

  constructor(server: ApiServer, user: User) {
    this.#server = server
    this.#user = user
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    const answer = await this.#handle(request)
    if (answer.kind === 'watch') throw new Error(`${request.path} is a watch: ask for it with watch()`)
    return responseOf(answer)
  }

  async watch(request: TransportRequest): Promise<TransportWatch> {
    const answer = await this.#handle(request)
    if (answer.kind === 'response') return { kind: 'refused', ...responseOf(answer) }
    return { kind: 'stream', events: streamOf(answer.open, request.signal) }
  }

  async close(): Promise<void> {}

  async #handle(request: TransportRequest): Promise<ApiAnswer> {
    request.signal?.throwIfAborted()
    request.beforeSending?.()
    return this.#server.handle({
      method: request.method,
      path: request.path,
      query: request.query ?? {},
      headers: request.headers ?? {},
      // A copy, because the server keeps what it gets and the caller may change it later.
      body: request.body === undefined ? undefined : cloneJson(request.body),
      user: this.#user,
      signal: request.signal,
    })
  }
}

function responseOf({ status, body, headers, warnings = [] }: ApiAnswer & { kind: 'response' }): TransportResponse {
  const warning = warnings.length === 0 ? {} : { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) }
  return { status, headers: { 'content-type': 'application/json', ...headers, ...warning }, body }
}

/** The server sends synchronously, the reader reads when it can; in between stands a queue. */
async function* streamOf(
  open: (ApiAnswer & { kind: 'watch' })['open'],
  signal: AbortSignal | undefined,
): AsyncGenerator<RawWatchEvent, void, void> {
  const waiting: RawWatchEvent[] = []
  let isClosed = false
  let wake = Promise.withResolvers<void>()
  const onAbort = () => wake.resolve()
  signal?.addEventListener('abort', onAbort, { once: true })
  using _watch = open({
    event: (event) => {
      waiting.push(event)
      wake.resolve()
    },
    close: () => {
      isClosed = true
      wake.resolve()
    },
  })
  try {
    for (;;) {
      signal?.throwIfAborted()
      const batch = waiting.splice(0)
      if (batch.length > 0) yield* batch
      else if (isClosed) return
      else {
        await wake.promise
        wake = Promise.withResolvers<void>()
      }
    }
  } finally {
    signal?.removeEventListener('abort', onAbort)
  }
}
