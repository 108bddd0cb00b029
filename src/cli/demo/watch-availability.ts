import type { Pod } from '../../api/kubernetes/core.ts'
import type { Transport } from '../../kube/client/transport.ts'
import type { Clock } from '../../runtime/clock.ts'
import { applications } from './applications.ts'
import { AvailabilityMeter } from './availability.ts'

export interface WatchedAvailability extends AsyncDisposable {
  readonly meter: AvailabilityMeter
  /** Throws once the watch has ended: from then on every figure would be made up. */
  check(): void
}

const wantedOfApplications = new Map(applications.map(({ name, wanted }) => [name, wanted]))

/** Follows the pods of the cluster from now on. `wanted` is how many pods must be ready, by their label `app`. */
export async function watchAvailability(
  transport: Transport,
  clock: Clock,
  wanted: ReadonlyMap<string, number> = wantedOfApplications,
): Promise<WatchedAvailability> {
  const stop = new AbortController()
  const query = { watch: 'true' }
  const answer = await transport.watch({ method: 'GET', path: '/api/v1/pods', query, signal: stop.signal })
  if (answer.kind === 'refused') throw new Error(`pods cannot be watched: ${answer.status}`)
  const meter = new AvailabilityMeter(wanted, clock.monotonicMs())
  let ended: Error | undefined
  const read = async () => {
    try {
      for await (const { type, object } of answer.events) {
        meter.note(object as Pod, type === 'DELETED', clock.monotonicMs())
      }
      ended = new Error('the watch of pods ended')
    } catch (error) {
      ended = new Error('the watch of pods failed', { cause: error })
    }
  }
  const reading = read()
  return {
    meter,
    check: () => {
      if (ended !== undefined) throw ended
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort(new Error('seen enough'))
      await reading
    },
  }
}
