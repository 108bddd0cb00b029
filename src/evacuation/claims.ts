import type { ClaimsLookup } from '../evacuation-client/instigator.ts'
import type { Node } from '../api/kubernetes/core.ts'
import { silenceOf } from '../api/maintenance/node-silence.ts'
import { assert } from '../runtime/assert.ts'
import type { Clock } from '../runtime/clock.ts'
import { decide } from './decide.ts'
import type { Decision } from './decision.ts'
import type { Claims, EvacuationView } from './view.ts'

/** Undefined: there is no such node. What it answers may be some seconds old. */
export type NodeLookup = (name: string, signal: AbortSignal) => Promise<Node | undefined>

export interface Lookups {
  readonly claims: ClaimsLookup
  readonly node: NodeLookup
}

interface Asking {
  readonly clock: Clock
  readonly lookups: Lookups
  /** What was looked up is remembered: it is asked for once, and once more before anything ends because of it. */
  readonly remember: (claims: Claims) => void
  readonly signal: AbortSignal
}

/** What is left to decide once everything was looked up. */
export type Decided = Exclude<Decision, { kind: 'askClaims' | 'askNode' }>

/** Decides, and looks up who claims the pod, or how its node is, where the decision depends on it. */
export async function decideAsking(
  view: EvacuationView,
  { clock, lookups, remember, signal }: Asking,
): Promise<Decided> {
  const { pod } = view
  for (let seen = view; ;) {
    const decision = decide(seen, clock.nowMs())
    if (decision.kind !== 'askClaims' && decision.kind !== 'askNode') return decision
    assert(pod !== undefined, 'nothing is asked about a pod that is gone')
    if (decision.kind === 'askNode') {
      const { nodeName = '' } = pod.spec ?? {}
      const node = nodeName === '' ? undefined : await lookups.node(nodeName, signal)
      seen = { ...seen, node: { silence: node === undefined ? undefined : silenceOf(node) } }
    } else {
      const { isFresh } = decision
      const claims = { isFresh, evacuators: await lookups.claims(pod, { isFresh, signal }) }
      remember(claims)
      seen = { ...seen, claims }
    }
  }
}
