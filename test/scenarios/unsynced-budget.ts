import {
  becomes,
  budget,
  budgetsPath,
  evacuate,
  isOver,
  keyOf,
  podsPath,
  type EvacuationScenario,
} from './lifeboat-world.ts'
import { merge } from './workload-world.ts'

/** For clusters without controllers, where nobody ever counts a budget. */
export const unsyncedBudget: EvacuationScenario = {
  name: 'a budget that was never counted refuses, and is named; without it the pod goes',
  run: async (world) => {
    const spec = {
      nodeName: 'nowhere',
      terminationGracePeriodSeconds: 0,
      containers: [{ name: 'main', image: 'web:1' }],
    }
    const metadata = { name: 'web', namespace: 'NS', labels: { app: 'web' } }
    const { body } = await world.arrange('POST', podsPath, { metadata, spec })
    const pod = keyOf(body)
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }
    await world.arrange('PATCH', `${podsPath}/web/status`, { status }, merge)
    await world.arrange('POST', budgetsPath, budget('web', { minAvailable: 0 }))
    await evacuate(world, pod)
    await becomes(world, pod, 'it is refused', (seen) => seen.status.failedEvictionCounter >= 1)
    await world.arrange('DELETE', `${budgetsPath}/web`)
    await isOver(world, pod)
  },
}
