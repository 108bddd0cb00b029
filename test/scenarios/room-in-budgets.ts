import {
  arrangeBudget,
  arrangeOneNode,
  arrangePod,
  budgetsPath,
  evacuate,
  isOver,
  look,
  podsPath,
  report,
  type EvacuationScenario,
  type EvacuationWorld,
  type PodKey,
} from './lifeboat-world.ts'
import { merge } from './workload-world.ts'

// Who is woken when a budget has room. Each waits for minutes otherwise, so a wake-up that is lost shows.

/** It has been refused so often that its next try comes after more than eight minutes. */
async function isRefusedForLong(world: EvacuationWorld, pod: PodKey): Promise<void> {
  const refusedMoreThan = (count: number) =>
    world.eventually(
      `${pod.name} is refused more than ${count} times`,
      () => look(world, pod),
      (seen) => (seen?.status.failedEvictionCounter ?? 0) > count,
    )
  await refusedMoreThan(0)
  await report(world, pod, { failedEvictionCounter: 9 })
  await refusedMoreThan(9)
}

const full = (healthy: number) => ({
  currentHealthy: healthy,
  desiredHealthy: healthy,
  disruptionsAllowed: 0,
  observedGeneration: 1,
})
const unready = { status: { conditions: [{ type: 'Ready', status: 'False' }] } }

export const roomInBudgets: readonly EvacuationScenario[] = [
  {
    name: 'room in a budget goes to a pod that can use it, and not to one that waits longer and was deleted meanwhile',
    run: async (world) => {
      await arrangeOneNode(world)
      const finalizers = ['example.com/backup']
      const deleted = await arrangePod(world, 'web-1', { finalizers })
      const waiting = await arrangePod(world, 'web-2')
      await arrangePod(world, 'web-3')
      await arrangeBudget(world, 'web', { minAvailable: 3 }, full(3))
      await evacuate(world, deleted)
      // Ages are compared, and have seconds.
      await world.pass(1_100)
      await evacuate(world, waiting)
      for (const pod of [deleted, waiting]) await isRefusedForLong(world, pod)
      await world.arrange('DELETE', `${podsPath}/web-1`)
      await world.arrange('PATCH', `${budgetsPath}/web`, { spec: { minAvailable: 1 } }, merge)
      await isOver(world, waiting)
      await world.arrange('PATCH', `${podsPath}/web-1`, { metadata: { finalizers: [] } }, merge)
      await isOver(world, deleted)
    },
  },
  {
    name: 'a pod that turns unready while its budget refuses it goes at once, where AlwaysAllow lets unready pods go',
    run: async (world) => {
      await arrangeOneNode(world)
      const pod = await arrangePod(world)
      const spec = { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' }
      await arrangeBudget(world, 'web', spec, full(1))
      await evacuate(world, pod)
      await isRefusedForLong(world, pod)
      // The played kubelets make it ready again without this. The embedded one even makes it unready by this alone.
      const annotations = { 'lifeboat.test/never-ready': 'true' }
      await world.arrange('PATCH', `${podsPath}/web`, { metadata: { annotations } }, merge)
      const contentType = 'application/strategic-merge-patch+json'
      await world.attempt('PATCH', `${podsPath}/web/status`, unready, { contentType })
      await isOver(world, pod)
    },
  },
]
