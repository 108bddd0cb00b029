import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { byPriority, inOrder } from '../cycle/orders.ts'
import { breath, type Nominations, type Outcome, type PluginWorld } from '../plugin.ts'
import { isActive, mayGoElsewhere } from '../cycle/pods-listed.ts'
import type { Thresholds } from '../policy/policy.ts'
import type { PodView } from '../view.ts'
import { roomOn, subtract } from './room.ts'
import type { UsageSource, UsedNode } from './usage.ts'
import { welcomedBy } from './welcoming-taints.ts'

/** From which nodes to which, and how far. */
export interface Plan {
  /** In the order in which they lose pods. */
  readonly sources: readonly UsedNode[]
  readonly destinations: readonly UsedNode[]
  /** Up to where the destinations are filled. */
  readonly fillTo: Thresholds
  readonly usage: UsageSource
  readonly continues: (source: UsedNode, room: Amounts) => boolean
  /** Asked before the evictor. */
  readonly isMovable: (pod: PodView) => boolean
  readonly excludedNamespaces: readonly string[]
  /** Pods that one source may lose in a cycle. */
  readonly perSourceMax: number | undefined
}

/** Names pods of the sources until the plan is fulfilled or the destinations are full. */
export function* sendAway(world: PluginWorld, plan: Plan): Nominations {
  const room = roomOn(plan.destinations, plan.fillTo, plan.usage.resources)
  const isWelcome = welcomedBy(plan.destinations.map(({ node }) => node))
  const isMovable = (pod: PodView) => isWelcome(pod) && !plan.excludedNamespaces.includes(pod.namespace)
  for (const source of plan.sources) {
    yield breath
    if (!plan.continues(source, room)) continue
    const end = yield* sendAwayFrom(source, { world, plan, room, isMovable })
    if (end === 'totalLimit') return
  }
}

interface Situation {
  readonly world: PluginWorld
  readonly plan: Plan
  readonly room: Map<string, number>
  readonly isMovable: (pod: PodView) => boolean
}

type Departures = Generator<PodView | typeof breath, Outcome | undefined, Outcome>

/** Returns the limit that ended it, if one did. */
function* sendAwayFrom(source: UsedNode, { world, plan, room, isMovable }: Situation): Departures {
  const { perSourceMax, usage } = plan
  // A pod that is leaving already counts as well: the source loses it.
  let leaving = 0
  for (const pod of candidatesOn(source, world, plan)) {
    if (perSourceMax !== undefined && leaving >= perSourceMax) return undefined
    if (!isMovable(pod) || !(yield* mayGoElsewhere(pod, world.evictor))) continue
    const used = usage.usedBy(pod)
    if (used === 'unknown') continue
    const outcome = yield pod
    if (outcome === 'nodeLimit' || outcome === 'totalLimit') return outcome
    if (outcome !== 'leaves') continue
    leaving += 1
    if (used === 'unmeasurable') {
      // Nothing shows when the source has lost enough: one pod a cycle, unless the policy says how many.
      if (perSourceMax === undefined) return undefined
      continue
    }
    subtract(used, source.used, room)
    if (!plan.continues(source, room)) return undefined
  }
  return undefined
}

/** Upstream asks its filter before the first pod of a node leaves. */
function candidatesOn({ node }: UsedNode, world: PluginWorld, plan: Plan): PodView[] {
  const pods = world
    .podsOn(node.name)
    .filter((pod) => isActive(pod) && plan.isMovable(pod) && world.evictor.filter(pod) === undefined)
  return inOrder(world, pods, byPriority)
}
