import type { LeaseDurations } from '../../src/kube/lease/decide-lease.ts'

export const electionNames = { namespace: 'election', lease: 'leader', acts: 'acts' }

/** The same proportions as the real ones, a fifth as long. */
export const shortDurations: LeaseDurations = { leaseMs: 3_000, renewWithinMs: 2_000, retryEveryMs: 400 }

/** Moments at which a candidate pauses itself when told to, as a machine that is short of time would. */
export const pausePoints = ['betweenWrites', 'beforeTheFence', 'queued', 'inFlight'] as const

export type PausePoint = (typeof pausePoints)[number]
