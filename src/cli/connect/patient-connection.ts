import { TransportError } from '../../kube/client/transport.ts'
import { InstallationError } from '../../manager/install/apply.ts'
import { UnfitServerError } from '../../manager/install/server-version.ts'
import { backoffMs, type BackoffOptions } from '../../runtime/backoff.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import type { Random } from '../../runtime/random.ts'

export interface PatientParts {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly signal: AbortSignal
}

const backoff: BackoffOptions = { initialMs: 500, maxMs: 15_000, jitter: 0.2 }

/**
 * Waits for an API server that is away: an agent may be there before it, on the very machine that runs it. What would be
 * answered in the same way forever, such as credentials that are not accepted, is thrown.
 */
export async function connectPatiently<T>(open: () => Promise<T>, parts: PatientParts): Promise<T> {
  const { clock, random, log, signal } = parts
  const jitter = random.stream('patient-connection')
  for (let failures = 1; ; failures++) {
    try {
      const connection = await open()
      if (failures > 1) log.info({ attempts: failures }, 'reached the API server')
      return connection
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error
      // One line, however long it takes.
      if (failures === 1) log.warn({ error: error.message }, 'waiting for the API server')
    }
    await sleep(clock, backoffMs(failures, backoff, jitter), signal)
  }
}

function mayPass(error: unknown): error is Error {
  if (error instanceof UnfitServerError) return error.why === 'failing'
  return error instanceof InstallationError && error.cause instanceof TransportError
}
