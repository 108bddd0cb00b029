import { behaviourAnnotations } from '../build/nodes-and-pods.ts'
import {
  areOver,
  arrangeApp,
  arrangeAppOfLuckyPods,
  cordon,
  drain,
  heal,
  isBlocked,
  isNeverBelow,
  isReleased,
  isSettled,
  uncordonAll,
  type DeploymentScenario,
  type DeploymentWorld,
} from './deployment-world.ts'
import { evacuate, look, type PodKey } from './lifeboat-world.ts'
import { merge, podsOf } from './workload-world.ts'

// Replacements that do not come to be: the pod stays, the Evacuation says why, and once that is mended it goes on.

const one = { replicas: 1, budget: { minAvailable: 1 } }
const quotasPath = '/api/v1/namespaces/NS/resourcequotas'

async function goesOn(world: DeploymentWorld, pods: readonly PodKey[]): Promise<void> {
  await areOver(world, pods)
  await isSettled(world, 1)
  isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
}

/** Waiting is not progress: the deadline of the Evacuation runs. */
async function reportsNoProgress(world: DeploymentWorld, pod: PodKey): Promise<void> {
  const before = (await look(world, pod))?.status.evacuationProgressTimestamp
  await world.pass(3_000)
  world.observe('no progress', (await look(world, pod))?.status.evacuationProgressTimestamp === before)
}

export const deploymentTroubleScenarios: readonly DeploymentScenario[] = [
  {
    name: 'a replacement that fits nowhere',
    run: async (world) => {
      const pods = await arrangeApp(world, one)
      for (let at = 0; at < 3; at++) {
        const path = `/api/v1/nodes/${world.namespace}-${at}`
        await world.arrange('PATCH', path, { spec: { unschedulable: true } }, merge)
      }
      const left = await drain(world, pods)
      await isReleased(world, left[0] as PodKey)
      await isBlocked(world, left[0] as PodKey, 'ReplacementUnschedulable', /does not fit \(0\/\d+ nodes are available/)
      await reportsNoProgress(world, left[0] as PodKey)
      await uncordonAll(world)
      await goesOn(world, left)
    },
  },
  {
    name: 'a replacement whose image cannot be pulled',
    run: async (world) => {
      const pods = await arrangeAppOfLuckyPods(world, one, { imagePullFails: true })
      const left = await drain(world, pods)
      const words = /which is not ready \(container main: ImagePullBackOff, Back-off pulling image/
      await isBlocked(world, left[0] as PodKey, 'ReplacementNotReady', words)
      await heal(world, behaviourAnnotations.imagePullFails)
      await goesOn(world, left)
    },
  },
  {
    name: 'a replacement that crashes',
    run: async (world) => {
      const pods = await arrangeAppOfLuckyPods(world, one, { crashes: true })
      const left = await drain(world, pods)
      const words = /which is not ready \(container main: CrashLoopBackOff/
      await isBlocked(world, left[0] as PodKey, 'ReplacementNotReady', words)
      await heal(world, behaviourAnnotations.crashes)
      await goesOn(world, left)
    },
  },
  {
    name: 'a replacement that never becomes ready',
    run: async (world) => {
      const app = { ...one, spec: { progressDeadlineSeconds: 4 } }
      const pods = await arrangeAppOfLuckyPods(world, app, { neverReady: true })
      const left = await drain(world, pods)
      await isBlocked(world, left[0] as PodKey, 'ReplacementNotReady', /which is not ready \(.*is its probe right/)
      await heal(world, behaviourAnnotations.neverReady)
      await goesOn(world, left)
    },
  },
  {
    name: 'a replacement that a ResourceQuota refuses',
    run: async (world) => {
      const pods = await arrangeApp(world, one)
      const quota = { metadata: { name: 'few', namespace: 'NS' }, spec: { hard: { pods: '1' } } }
      await world.arrange('POST', quotasPath, quota)
      await world.eventually(
        'the quota is counted, where somebody counts it',
        async () => {
          await world.pass(500)
          return true
        },
        (seen) => seen,
      )
      const left = await drain(world, pods)
      await isBlocked(
        world,
        left[0] as PodKey,
        'ReplacementRefused',
        /cannot create a replacement \(.*exceeded quota: few/,
      )
      await world.arrange('PATCH', `${quotasPath}/few`, { spec: { hard: { pods: '2' } } }, merge)
      await goesOn(world, left)
    },
  },
  {
    name: 'a pod behind one whose replacement is stuck waits for its turn, and says so',
    run: async (world) => {
      const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      const pods = await arrangeAppOfLuckyPods(world, { replicas: 2, nodes: 4, strategy }, { crashes: true })
      await cordon(world, pods)
      const [first, second] = pods.map(({ metadata: { name, uid } }) => ({ name, uid })) as [PodKey, PodKey]
      await evacuate(world, first)
      await isReleased(world, first)
      await evacuate(world, second)
      await isBlocked(world, second, 'WaitingForTurn', /Deployment web allows 1 at once, maxSurge/)
      const healing = async () => {
        await heal(world, behaviourAnnotations.crashes)
        return podsOf(world)
      }
      // The second replacement comes only after the first is well, and is then ill in its turn.
      await world.eventually('both leave', healing, (left) =>
        left.every(({ metadata }) => metadata.uid !== first.uid && metadata.uid !== second.uid),
      )
      await areOver(world, [first, second])
      await isSettled(world, 2)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [2] })
    },
  },
]
