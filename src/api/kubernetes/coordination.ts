import type { KubernetesObject } from './meta.ts'

export interface Lease extends KubernetesObject {
  spec?: LeaseSpec
}

export interface LeaseSpec {
  holderIdentity?: string
  leaseDurationSeconds?: number
  acquireTime?: string
  renewTime?: string
  leaseTransitions?: number
}
