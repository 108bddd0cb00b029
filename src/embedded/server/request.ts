import type { Method } from '../../kube/client/transport.ts'

/** Who asks. */
export interface User {
  readonly name: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

/** A request after authentication. The body is parsed, belongs to the server, and no longer changes. */
export interface ApiRequest {
  readonly method: Method
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  readonly user: User
  readonly signal: AbortSignal | undefined
}

export type ApiAnswer =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly body: unknown
      /** Each becomes a Warning header. */
      readonly warnings?: readonly string[]
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'watch'; readonly open: (sink: WatchSink) => Disposable }

/** Gets a watch's events, in order, synchronously. `close` comes once, after the last of them. */
export interface WatchSink {
  event(event: { readonly type: string; readonly object: unknown }): void
  close(): void
}
