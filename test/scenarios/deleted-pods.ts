import {
  arrangeOneNode,
  arrangePod,
  becomes,
  evacuate,
  isOver,
  podsPath,
  priorityOf,
  report,
  type EvacuationScenario,
} from './lifeboat-world.ts'
import { merge } from './workload-world.ts'

// A pod that a client deleted is not evicted. Its evacuators have their turns all the same: one may hold a finalizer.

const first = 'backup.example.com'
const second = 'farewell.example.com'

export const deletedPods: readonly EvacuationScenario[] = [
  {
    name: 'a pod that a client deleted gets its evacuators one after the other, and no eviction; it goes when they let it',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world, 'web', {
        finalizers: ['example.com/backup'],
        annotations: { [priorityOf(first)]: '2', [priorityOf(second)]: '1' },
      })
      await world.arrange('DELETE', `${podsPath}/${pod.name}`)
      await evacuate(world, pod)
      await becomes(world, pod, 'the first has its turn', ({ status }) => status.activeEvacuatorClass === first)
      await report(world, pod, { activeEvacuatorCompleted: true })
      await becomes(world, pod, 'the second has its turn', ({ status }) => status.activeEvacuatorClass === second)
      const calls = await world.evictionCalls()
      if (calls !== 0) throw new Error(`a deleted pod should not be evicted, and was ${calls} times`)
      await world.arrange('PATCH', `${podsPath}/${pod.name}`, { metadata: { finalizers: [] } }, merge)
      await isOver(world, pod)
    },
  },
]
