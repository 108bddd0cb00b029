import {
  areOver,
  arrangeApp,
  annotationsOf,
  change,
  drain,
  isOwned,
  isReady,
  isSettled,
  type DeploymentScenario,
  type DeploymentWorld,
} from './deployment-world.ts'
import { arrangeBudget, budgetsPath } from './lifeboat-world.ts'
import { podsOf, type PodSeen } from './workload-world.ts'

// Somebody scales a Deployment down in the middle of its drain.

const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
const costAnnotation = 'controller.kubernetes.io/pod-deletion-cost'

async function replacementBesideWaitingPods(world: DeploymentWorld, old: readonly PodSeen[]): Promise<PodSeen> {
  const isOld = ({ metadata }: PodSeen) => old.some((pod) => pod.metadata.uid === metadata.uid)
  const pods = await world.eventually(
    'the replacement is ready, and two pods wait for their turn',
    () => podsOf(world),
    (seen) =>
      seen.filter((pod) => !isOld(pod) && isReady(pod)).length === 1 &&
      seen.filter((pod) => isOld(pod) && isOwned(pod) && annotationsOf(pod)[costAnnotation] !== undefined).length === 2,
  )
  const found = pods.find((pod) => !isOld(pod))
  if (found === undefined) throw new Error('eventually returns what is right')
  return found
}

export const deploymentScaleDownScenarios: readonly DeploymentScenario[] = [
  {
    name: 'scaled down in mid-drain: a pod that is to leave goes, its replacement stays',
    run: async (world) => {
      const old = await arrangeApp(world, { replicas: 3, nodes: 5, strategy })
      await arrangeBudget(world, 'web', { minAvailable: 9 }, { expectedPods: 3, disruptionsAllowed: 0 })
      const keys = await drain(world, old)
      const replacement = await replacementBesideWaitingPods(world, old)
      await change(world, { spec: { replicas: 2 } })
      const left = await world.eventually(
        'one of the two is gone',
        () => podsOf(world),
        (seen) => seen.filter((pod) => isOwned(pod) && pod.metadata.deletionTimestamp === undefined).length === 2,
      )
      const stays = left.some(
        ({ metadata }) => metadata.uid === replacement.metadata.uid && metadata.deletionTimestamp === undefined,
      )
      world.observe('the replacement stays', stays)
      if (!stays) throw new Error('the ReplicaSet removed the replacement')
      await world.arrange('DELETE', `${budgetsPath}/web`)
      await areOver(world, keys)
      await isSettled(world, 2)
    },
  },
]
