import type { Lease, LeaseSpec } from '../../api/kubernetes/coordination.ts'
import { assert } from '../../runtime/assert.ts'

export interface LeaseDurations {
  /** Others may take the lease when its holder has not renewed it for this long. */
  readonly leaseMs: number
  /** The holder itself stops acting this long after its last renewal; the gap to leaseMs is for writes under way. */
  readonly renewWithinMs: number
  readonly retryEveryMs: number
}

export const defaultLeaseDurations: LeaseDurations = { leaseMs: 15_000, renewWithinMs: 10_000, retryEveryMs: 2_000 }

/** A lease as it was last seen, and since when it has not changed: by our own clock, because theirs may be wrong. */
export interface LeaseView {
  readonly lease: Lease | undefined
  readonly unchangedSinceMs: number
  /** Something may have happened to the lease since. */
  readonly isStale: boolean
}

export type LeaseDecision =
  | { readonly kind: 'create' | 'take' | 'renew' }
  /** Someone else holds it, until then at least. */
  | { readonly kind: 'wait'; readonly holder: string; readonly untilMs: number }

/** Times are monotonic. */
export function decideLease(view: LeaseView, identity: string, nowMs: number): LeaseDecision {
  if (view.lease === undefined) return { kind: 'create' }
  const holder = view.lease.spec?.holderIdentity ?? ''
  if (holder === identity) return { kind: 'renew' }
  if (holder === '') return { kind: 'take' }
  const untilMs = view.unchangedSinceMs + (view.lease.spec?.leaseDurationSeconds ?? 0) * 1_000
  return nowMs >= untilMs ? { kind: 'take' } : { kind: 'wait', holder, untilMs }
}

/** What the next observation makes of a view: any write to the lease starts its term again. */
export function observeLease(view: LeaseView, seen: Lease | undefined, nowMs: number): LeaseView {
  const unchanged = view.lease?.metadata.resourceVersion === seen?.metadata.resourceVersion && view.lease !== undefined
  return { lease: seen, unchangedSinceMs: unchanged ? view.unchangedSinceMs : nowMs, isStale: false }
}

/** Whether another candidate was seen at work: a lease that bears a name and does not change may be a dead one's. */
export function isRenewedByAnother(before: LeaseView, after: LeaseView, identity: string): boolean {
  const holder = after.lease?.spec?.holderIdentity ?? ''
  const hasChanged = before.lease !== undefined && before.unchangedSinceMs !== after.unchangedSinceMs
  return hasChanged && holder !== '' && holder !== identity
}

/** What a candidate writes to have a lease, or to keep it. */
export function buildHeldSpec(
  previous: Lease | undefined,
  holder: { readonly identity: string; readonly leaseMs: number },
  nowMs: number,
): LeaseSpec {
  assert(holder.identity !== '', 'a holder has an identity')
  const now = microTime(nowMs)
  const renewing = previous?.spec?.holderIdentity === holder.identity
  return {
    holderIdentity: holder.identity,
    leaseDurationSeconds: Math.ceil(holder.leaseMs / 1_000),
    acquireTime: renewing ? (previous?.spec?.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: (previous?.spec?.leaseTransitions ?? 0) + (renewing || previous === undefined ? 0 : 1),
  }
}

/** The lease as its holder leaves it on the way out: free for any candidate at once. */
export function buildReleasedLease(held: Lease, nowMs: number): Lease {
  const { holderIdentity: _, ...spec } = held.spec ?? {}
  return { ...held, spec: { ...spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(nowMs) } }
}

/** Leases have microseconds, which our clock has not. */
function microTime(nowMs: number): string {
  return new Date(nowMs).toISOString().replace('Z', '000Z')
}
