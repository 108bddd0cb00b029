import { setTimeout as pause } from 'node:timers/promises'

/** Who waits for something in a cluster looks again when something was written, not at every moment. */
export interface Changes extends AsyncDisposable {
  /** Of a namespace: all that is in it, and whatever is named after it. */
  follow(namespace: string): Follower
}

export interface Follower extends Disposable {
  /** Waits for a write, at most so long; one since the call before counts. Returns how many milliseconds it waited. */
  next(atMostMs: number): Promise<number>
}

/** Writes come in groups: a look at the end of one sees them all, and so do watches of others by then. */
const settleMs = 50
const reopenMs = 500
const everything = { key: base64('/registry/'), range_end: base64('/registry0') }

/** One watch on etcd, which asks for no credentials and costs far less than looks at the API server. */
export async function watchChanges(etcdServer: string): Promise<Changes> {
  const stop = new AbortController()
  const waiting = new Set<WaitingFollower>()
  const open = async () => {
    const body = JSON.stringify({ create_request: everything })
    const answer = await fetch(`${etcdServer}/v3/watch`, { method: 'POST', body, signal: stop.signal })
    if (!answer.ok || answer.body === null) throw new Error(`etcd refuses a watch: ${answer.status}`)
    return answer.body.pipeThrough(new TextDecoderStream())
  }
  const tell = (keys: readonly string[]) => {
    for (const follower of waiting) follower.hear(keys)
  }
  const read = async (first: AsyncIterable<string>) => {
    let chunks = first
    while (!stop.signal.aborted) {
      try {
        for await (const keys of keysOf(chunks)) tell(keys)
      } catch {
        // Whoever follows looks after its time, so nothing is lost while etcd is away.
      }
      await pause(reopenMs, undefined, { signal: stop.signal }).catch(() => {})
      chunks = await open().catch(() => nothing())
    }
  }
  const reading = read(await open())
  return {
    follow: (namespace) => {
      const follower = new WaitingFollower(namespace, () => void waiting.delete(follower))
      waiting.add(follower)
      return follower
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('nobody waits any more'))
      await reading
    },
  }
}

class WaitingFollower implements Follower {
  readonly #marks: readonly string[]
  readonly #leave: () => void
  #hasChanged = false
  #wake = (): void => {}

  constructor(namespace: string, leave: () => void) {
    this.#marks = [`/${namespace}/`, `/${namespace}-`, `-${namespace}-`]
    this.#leave = leave
  }

  hear(keys: readonly string[]): void {
    // The end of a key ends a name as a slash does.
    if (!keys.some((key) => this.#marks.some((mark) => `${key}/`.includes(mark)))) return
    this.#hasChanged = true
    this.#wake()
  }

  async next(atMostMs: number): Promise<number> {
    const fromMs = performance.now()
    if (!this.#hasChanged) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, atMostMs)
      this.#wake = resolve
      await promise
      clearTimeout(timer)
    }
    if (this.#hasChanged) await pause(settleMs)
    this.#hasChanged = false
    return performance.now() - fromMs
  }

  [Symbol.dispose](): void {
    this.#leave()
  }
}

/** The keys of each answer. Values are in base64, so a quote is never part of one. */
async function* keysOf(chunks: AsyncIterable<string>): AsyncGenerator<string[]> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    const keys = lines.flatMap((line) => Array.from(line.matchAll(/"key":"([^"]*)"/g), ([, key = '']) => key))
    if (keys.length > 0) yield keys.map((key) => Buffer.from(key, 'base64').toString())
  }
}

async function* nothing(): AsyncGenerator<string> {}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}
