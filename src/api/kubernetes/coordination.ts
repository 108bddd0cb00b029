import type { NamespacedObject } from './meta.ts'

export interface Lease extends NamespacedObject {
  readonly spec?: LeaseSpec
}

export interface LeaseSpec {
  readonly holderIdentity?: string
  readonly leaseDurationSeconds?: number
  readonly acquireTime?: string
  readonly renewTime?: string
  readonly leaseTransitions?: number
}
