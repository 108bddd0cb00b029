import { annotationsFor, behaviourAnnotations } from '../build/nodes-and-pods.ts'
import {
  annotationsOf,
  areOver,
  arrangeApp,
  arrangeAppOfLuckyPods,
  cordon,
  drain,
  heal,
  isBlocked,
  isCancelled,
  isNeverBelow,
  isReleased,
  isSettled,
  keyOfPod,
  withdraw,
  type DeploymentScenario,
  type DeploymentWorld,
} from './deployment-world.ts'
import { arrangeBudget, evacuate, look, type PodKey } from './lifeboat-world.ts'
import { podsOf } from './workload-world.ts'

// Nobody wants the pod gone any more, at every step of the way.

const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }

async function isStillThere(world: DeploymentWorld, pod: PodKey): Promise<void> {
  const found = (await podsOf(world)).find(({ metadata }) => metadata.uid === pod.uid)
  if (found === undefined) throw new Error('the pod is gone')
  const left = Object.keys(annotationsOf(found)).filter((key) => /^evacuation\.|pod-deletion-cost$/.test(key))
  world.observe('the pod is there as before', left)
}

export const deploymentCancelScenarios: readonly DeploymentScenario[] = [
  {
    name: 'cancelled before the pod is released, while it waits for its turn',
    run: async (world) => {
      const app = { replicas: 2, nodes: 4, strategy, budget: { maxUnavailable: 0 } }
      const pods = await arrangeAppOfLuckyPods(world, app, { neverReady: true })
      await cordon(world, pods)
      const [first, second] = pods.map(keyOfPod) as [PodKey, PodKey]
      await evacuate(world, first)
      await isReleased(world, first)
      await evacuate(world, second)
      await world.eventually(
        'the second waits for its turn',
        () => look(world, second),
        (seen) => seen?.status.message.startsWith('Waits for its turn in Deployment web') ?? false,
      )
      await withdraw(world, second)
      await isCancelled(world, second)
      await isStillThere(world, second)
      await heal(world, behaviourAnnotations.neverReady)
      await areOver(world, [first])
      await isSettled(world, 2)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [2] })
    },
  },
  {
    name: 'cancelled as soon as the pod is released',
    run: async (world) => {
      const app = { replicas: 1, strategy, budget: { minAvailable: 1 } }
      const pods = await arrangeApp(world, { ...app, podAnnotations: annotationsFor({ readyAfter: '2s' }) })
      const [pod] = (await drain(world, pods)) as [PodKey]
      await isReleased(world, pod)
      await withdraw(world, pod)
      await isCancelled(world, pod)
      await isSettled(world, 1)
      await isStillThere(world, pod)
      isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
    },
  },
  {
    name: 'cancelled while the replacement is pending',
    run: async (world) => {
      const app = { replicas: 1, strategy, budget: { minAvailable: 1 } }
      const pods = await arrangeAppOfLuckyPods(world, app, { imagePullFails: true })
      const [pod] = (await drain(world, pods)) as [PodKey]
      await isBlocked(world, pod, 'ReplacementNotReady', /ImagePullBackOff/)
      await withdraw(world, pod)
      await isCancelled(world, pod)
      await isSettled(world, 1)
      await isStillThere(world, pod)
      isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
    },
  },
  {
    name: 'cancelled when the replacement is ready and only a budget keeps the pod',
    run: async (world) => {
      const pods = await arrangeApp(world, { replicas: 1, strategy })
      await arrangeBudget(world, 'web', { minAvailable: 5 }, { expectedPods: 1, disruptionsAllowed: 0 })
      const [pod] = (await drain(world, pods)) as [PodKey]
      await isBlocked(world, pod, 'DisruptionBudget', /waits for budget web \(2 healthy, 5 needed\)/)
      await withdraw(world, pod)
      await isCancelled(world, pod)
      await isSettled(world, 1)
      isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
    },
  },
  {
    name: 'cancelled when the pod was evicted and terminates',
    run: async (world) => {
      const app = { replicas: 1, strategy, budget: { minAvailable: 1 } }
      const podSpec = { terminationGracePeriodSeconds: 20 }
      const podAnnotations = annotationsFor({ terminateAfter: '3s' })
      const pods = await arrangeApp(world, { ...app, podSpec, podAnnotations })
      const [pod] = (await drain(world, pods)) as [PodKey]
      await world.eventually(
        'the pod terminates',
        async () => (await podsOf(world)).find(({ metadata }) => metadata.uid === pod.uid),
        (seen) => seen?.metadata.deletionTimestamp !== undefined,
      )
      await withdraw(world, pod)
      await areOver(world, [pod])
      await isSettled(world, 1)
      isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
    },
  },
]
