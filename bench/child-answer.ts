import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** Far above what a small machine needs to fill a large cluster. */
const answerWithinMs = 300_000

/** The next message of a process that was forked, which must be of this kind. */
export async function answerOf<Message extends { readonly kind: string }, Kind extends Message['kind']>(
  child: ChildProcess,
  kind: Kind,
): Promise<Extract<Message, { kind: Kind }>> {
  const stop = new AbortController()
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(answerWithinMs)])
  const ended = once(child, 'exit', { signal }).then(() => [undefined])
  // Whichever comes second is told to stop, which it says by rejecting.
  ended.catch(() => {})
  try {
    const [message] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Message | undefined]
    if (message?.kind !== kind) throw new Error(`the process said ${message?.kind ?? 'nothing'} instead of ${kind}`)
    return message as Extract<Message, { kind: Kind }>
  } finally {
    stop.abort()
  }
}
