import type { Blocker } from '../../api/blocker/blocker.ts'
import type { Pod } from '../../api/kubernetes/core.ts'
import { pods } from '../../api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../../api/evacuation/pod-reference.ts'
import { podTypeOf } from '../../api/maintenance/pod-type.ts'
import type { EvictOutcome } from '../../kube/client/evict-outcome.ts'
import { sleep } from '../../runtime/clock.ts'
import type { EvictionTally } from './eviction-tally.ts'
import { countedClient, podsOn, setSchedulable, until, type Stage } from './stage.ts'

/** What every drain does that is not Lifeboat: cordon, ask to evict each pod, ask again. */
export interface OrdinaryDrain {
  readonly evicted: readonly PodRef[]
  /** Refused each time. */
  readonly stuck: readonly Blocker[]
  readonly rounds: number
}

/** kubectl waits for five seconds; the outcome is the same, and nothing is printed meanwhile. */
const pace = { rounds: 3, waitMs: 500 }

export async function evictFrom(stage: Stage, nodes: readonly string[], tally: EvictionTally): Promise<OrdinaryDrain> {
  const kube = countedClient(stage, tally)
  for (const node of nodes) await setSchedulable(stage, node, false)
  const lists = await Promise.all(nodes.map((node) => podsOn(stage, node)))
  let left = lists.flat().filter(leaves).map(podRefOf)
  const evicted: PodRef[] = []
  let stuck: Blocker[] = []
  for (let round = 0; round < pace.rounds && left.length > 0; round++) {
    if (round > 0) await sleep(stage.clock, pace.waitMs, stage.signal)
    stuck = []
    for (const pod of left) {
      const refusal = refusalOf(pod, await kube.evict(pod, { signal: stage.signal }))
      if (refusal === undefined) evicted.push(pod)
      else stuck.push(refusal)
    }
    left = stuck.map(({ pod }) => pod)
  }
  return { evicted, stuck, rounds: pace.rounds }
}

/** `kubectl drain --disable-eviction`: the budgets are not asked. */
export async function force(stage: Stage, stuck: readonly Blocker[], tally: EvictionTally): Promise<void> {
  const { signal } = stage
  const kube = countedClient(stage, tally)
  for (const { pod } of stuck) await kube.delete(pods, pod, { preconditions: { uid: pod.uid }, signal })
}

/** Drains leave DaemonSets alone. */
function leaves(pod: Pod): boolean {
  return podTypeOf(pod) === 'Default'
}

function refusalOf(pod: PodRef, outcome: EvictOutcome): Blocker | undefined {
  return outcome.kind === 'refused' ? { pod, ...outcome.by } : undefined
}

export async function giveBack(stage: Stage, nodes: readonly string[], isWhole: () => boolean): Promise<void> {
  await until(stage, 'all applications are whole again', isWhole)
  for (const node of nodes) await setSchedulable(stage, node, true)
}
