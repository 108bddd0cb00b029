import type { LeaseDurations } from '../../src/kube/decide-lease.ts'

export const electionNames = { namespace: 'election', lease: 'leader', acts: 'acts' }

/** The same proportions as the real ones, a fifth as long. */
export const shortDurations: LeaseDurations = { leaseMs: 3_000, renewWithinMs: 2_000, retryEveryMs: 400 }
