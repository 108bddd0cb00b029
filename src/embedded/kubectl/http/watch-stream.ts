import type { Writable } from 'node:stream'
import type { ApiAnswer } from '../../server/request.ts'

export interface WatchLimits {
  /** How much may wait for a reader that does not read. */
  readonly waitingEventsMax: number
  readonly waitingBytesMax: number
}

export const watchLimits: WatchLimits = { waitingEventsMax: 10_000, waitingBytesMax: 16 * 1024 * 1024 }

/**
 * Writes a watch as one JSON document a line. The server sends events synchronously and cannot wait for a slow reader:
 * one that falls too far behind is cut off, as the real server does, and begins again where it was.
 */
export function streamWatch(
  response: Writable,
  open: (ApiAnswer & { readonly kind: 'watch' })['open'],
  limits: WatchLimits = watchLimits,
): void {
  let waitingEvents = 0
  /** What there was to begin with is not the reader's fault. */
  let initialBytes = 0
  let isOpening = true
  let watch: Disposable | undefined
  const event = (content: { readonly type: string; readonly object: unknown }) => {
    if (response.destroyed || response.writableEnded) return
    const isTaken = response.write(`${JSON.stringify(content)}\n`)
    if (isOpening) return
    waitingEvents = isTaken ? 0 : waitingEvents + 1
    const waitingBytes = response.writableLength - initialBytes
    if (waitingEvents > limits.waitingEventsMax || waitingBytes > limits.waitingBytesMax) response.destroy()
  }
  response.once('close', () => watch?.[Symbol.dispose]())
  response.on('drain', () => {
    waitingEvents = 0
    initialBytes = 0
  })
  watch = open({ event, close: () => void response.end() })
  isOpening = false
  initialBytes = response.writableLength
  if (response.destroyed) watch[Symbol.dispose]()
}
