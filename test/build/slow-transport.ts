import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'
import { sleep, type Clock } from '../../src/runtime/clock.ts'
import type { Random } from '../../src/runtime/random.ts'

export interface Slowness {
  /** A request takes up to this long to arrive, and its answer as long to come back. */
  readonly requestMaxMs: number
  /** What happened is told up to this much later, in its order. */
  readonly watchMaxMs: number
}

/** A network with delays, each drawn anew: what was written is seen late, and by some later than by others. */
export function slowTransport(
  transport: Transport,
  { clock, random, slowness }: { readonly clock: Clock; readonly random: Random; readonly slowness: Slowness },
): Transport {
  const draws = random.stream('test/slow-transport')
  const delay = (maxMs: number, { signal }: TransportRequest) =>
    sleep(clock, Math.floor(draws.next() * maxMs), signal ?? new AbortController().signal)
  return {
    request: async (request) => {
      await delay(slowness.requestMaxMs, request)
      const answer = await transport.request(request)
      await delay(slowness.requestMaxMs, request)
      return answer
    },
    watch: async (request) => {
      const answer = await transport.watch(request)
      if (answer.kind === 'refused') return answer
      const late = async function* () {
        for await (const event of answer.events) {
          await delay(slowness.watchMaxMs, request)
          yield event
        }
      }
      return { ...answer, events: late() }
    },
    close: () => transport.close(),
  }
}
