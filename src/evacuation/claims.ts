import type { Evacuator } from '../api/evacuator.ts'
import type { Pod } from '../api/kubernetes/core.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { assert } from '../runtime/assert.ts'
import type { Clock } from '../runtime/clock.ts'
import { decide, type Decision } from './decide.ts'
import type { Claims, EvacuationView } from './view.ts'

/** The built-in evacuators that claim a pod. Whoever assembles Lifeboat knows them. */
export type ClaimsLookup = (
  pod: DeepReadonly<Pod>,
  options: { readonly isFresh: boolean; readonly signal: AbortSignal },
) => Promise<readonly Evacuator[]>

interface Asking {
  readonly clock: Clock
  readonly lookup: ClaimsLookup
  /** What was looked up is remembered: it is asked for once, and once more before anything ends because of it. */
  readonly remember: (claims: Claims) => void
  readonly signal: AbortSignal
}

/** Decides, and looks up who claims the pod where the decision depends on it. */
export async function decideAsking(
  view: EvacuationView,
  { clock, lookup, remember, signal }: Asking,
): Promise<Exclude<Decision, { kind: 'askClaims' }>> {
  for (let seen = view; ;) {
    const decision = decide(seen, clock.nowMs())
    if (decision.kind !== 'askClaims') return decision
    assert(view.pod !== undefined, 'nobody claims a pod that is gone')
    const { isFresh } = decision
    const claims = { isFresh, evacuators: await lookup(view.pod, { isFresh, signal }) }
    remember(claims)
    seen = { ...view, claims }
  }
}
