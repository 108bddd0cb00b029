import { inject } from 'vitest'
import type { SharedCluster } from './shared-clusters.ts'

/** The cluster of this worker: one file after the other has it for itself, and leaves it as it found it. */
export function ownCluster(): SharedCluster {
  const cluster = inject('clusters')[Number(process.env['VITEST_POOL_ID']) - 1]
  if (cluster === undefined) throw new Error(`there is no cluster for worker ${process.env['VITEST_POOL_ID']}`)
  return cluster
}
