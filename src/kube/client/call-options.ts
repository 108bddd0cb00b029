export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** It has time: see TransportRequest. */
  readonly yieldsForMs?: number | undefined
}

export interface WriteOptions extends CallOptions {
  readonly dryRun?: boolean
  /** Only objects that have it take it: `status`, `scale`. */
  readonly subresource?: string
}

export interface DeleteOptions extends CallOptions {
  readonly dryRun?: boolean
  /** Whatever destroys names what it means to destroy. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string }
  readonly gracePeriodSeconds?: number
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan'
}

export interface Selection {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
}

export interface WatchOptions extends Selection, CallOptions {
  readonly resourceVersion: string
  readonly timeoutSeconds: number
  /** See TransportRequest. */
  readonly isWorthParsing?: (line: Buffer) => boolean
}

export interface ListOptions extends Selection, CallOptions {
  readonly pageSize?: number
}

export type Patch =
  | { readonly type: 'json'; readonly body: readonly unknown[] }
  | { readonly type: 'merge' | 'strategic'; readonly body: unknown }

/** How a call's options look in a request. */
export function selectionQuery({ labelSelector, fieldSelector }: Selection): Record<string, string> {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  }
}

export function dryRunQuery(options: { readonly dryRun?: boolean }): { query?: Readonly<Record<string, string>> } {
  return options.dryRun === true ? { query: { dryRun: 'All' } } : {}
}

/** What of it concerns the sending alone. */
export function sentOf({ signal, yieldsForMs }: CallOptions): { signal?: AbortSignal; yieldsForMs?: number } {
  return { ...(signal === undefined ? {} : { signal }), ...(yieldsForMs === undefined ? {} : { yieldsForMs }) }
}
