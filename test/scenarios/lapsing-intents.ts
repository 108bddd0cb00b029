import {
  arrangeOneNode,
  arrangePod,
  at,
  isGone,
  look,
  pathOf,
  podsPath,
  priorityOf,
  stays,
  type EvacuationScenario,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import { merge } from './workload-world.ts'

// An eviction request that became an Evacuation stands for its client only for a while: the client may be gone.

const evacuatorClass = 'slow.example.com'
const requestedAt = 'evacuation.coordination.k8s.io/eviction-requested-at'
const markOfEviction = 'descheduler.alpha.kubernetes.io/eviction-in-progress'
const minuteMs = 60_000

async function requestEviction(world: EvacuationWorld, pod: PodKey): Promise<void> {
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.name, namespace: 'NS' } }
  const { status } = await world.attempt('POST', `${podsPath}/${pod.name}/eviction`, eviction)
  if (status !== 429) throw new Error(`the eviction should have become an Evacuation, and was answered with ${status}`)
}

/** As if the last request had been that long ago. */
async function wasRequestedBefore(world: EvacuationWorld, pod: PodKey, agoMs: number): Promise<void> {
  const annotations = { [requestedAt]: at(world.nowMs() - agoMs) }
  await world.arrange('PATCH', pathOf(pod), { metadata: { annotations } }, merge)
}

export const lapsingIntents: readonly EvacuationScenario[] = [
  {
    name: 'an eviction request counts for half an hour: a client that repeats it every ten minutes does not see the move undone',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', { annotations: { [priorityOf(evacuatorClass)]: '5' } })
      await requestEviction(world, pod)
      await wasRequestedBefore(world, pod, 29 * minuteMs)
      await stays(world, pod)
      const seen = await look(world, pod)
      if (seen === undefined || seen.metadata.deletionTimestamp !== undefined)
        throw new Error('the Evacuation should have stayed')
      await requestEviction(world, pod)
      await wasRequestedBefore(world, pod, 30 * minuteMs + 1_000)
      await isGone(world, pathOf(pod))
      await stays(world, pod)
      const { annotations = {} } = (await world.read(`${podsPath}/web`)).body['metadata'] as {
        annotations?: Readonly<Record<string, string>>
      }
      world.observe('the pod is still marked', markOfEviction in annotations)
    },
  },
]
