import type { LifeboatSwitch } from './daemon-set-evacuation.ts'
import {
  annotationsOf,
  appIsReady,
  arrangeApp,
  cordon,
  deploymentPath,
  hashLabel,
  isNeverBelow,
  isReleased,
  keyOfPod,
  uncordonAll,
  type DeploymentWorld,
} from './deployment-world.ts'
import { evacuate, evacuationsPath, type PodKey } from './lifeboat-world.ts'
import type { StoryNeeds } from './scenario.ts'
import { merge, paths, podsOf, type PodSeen } from './workload-world.ts'

// `lifeboat uninstall` while something is under way, told to any Kubernetes with Lifeboat on it.

export interface UninstallWorld extends DeploymentWorld {
  readonly lifeboat: LifeboatSwitch
}

export interface UninstallScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: UninstallWorld) => Promise<void>
}

const autoscalersPath = '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers'

/** The first pod is to go, and nothing takes a replacement. */
async function getStuck(world: UninstallWorld, pods: readonly PodSeen[]): Promise<PodKey> {
  const [first] = pods
  if (first === undefined) throw new Error('there is a pod')
  await cordon(world, pods)
  for (const at of [0, 1, 2]) {
    await world.arrange('PATCH', `/api/v1/nodes/${world.namespace}-${at}`, { spec: { unschedulable: true } }, merge)
  }
  const pod = keyOfPod(first)
  await evacuate(world, pod)
  return pod
}

async function takeOut(world: UninstallWorld): Promise<void> {
  await world.lifeboat.kill()
  await world.lifeboat.uninstall()
  const { status } = await world.read(evacuationsPath)
  world.observe('Evacuations are unknown', status)
}

/** Everything of Lifeboat's that a pod could bear. */
function tracesOn(pod: PodSeen): string[] {
  const keys = [...Object.keys(annotationsOf(pod)), ...Object.keys(pod.metadata.labels ?? {})]
  return [
    ...keys.filter((key) => /evacuation|nodemaintenance|evict/.test(key)),
    ...(pod.metadata.ownerReferences ?? []).filter(({ kind }) => kind === 'Evacuation').map(({ kind }) => kind),
  ]
}

function isWithoutTraces(world: UninstallWorld, pods: readonly PodSeen[]): void {
  const traces = pods.flatMap(tracesOn)
  if (traces.length > 0) throw new Error(`left behind: ${traces.join(', ')}`)
  world.observe('no trace is left', pods.length)
}

export const uninstallScenarios: readonly UninstallScenario[] = [
  {
    name: 'a pod that was released goes back to its ReplicaSet, and is never gone',
    ownCluster: true,
    run: async (world) => {
      const pods = await arrangeApp(world, { replicas: 1, budget: { minAvailable: 1 } })
      const pod = await getStuck(world, pods)
      await isReleased(world, pod)
      await takeOut(world)
      const [left] = await appIsReady(world, 1)
      if (left?.metadata.uid !== pod.uid) throw new Error('it should be the same pod')
      world.observe('it has its label', left.metadata.labels?.[hashLabel] !== undefined)
      isWithoutTraces(world, [left])
      await uncordonAll(world)
      await world.pass(3_000)
      await appIsReady(world, 1)
      isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
      await world.lifeboat.start()
    },
  },
  {
    name: 'a pod that was released from a Deployment that is gone by now goes as well',
    ownCluster: true,
    run: async (world) => {
      const pods = await arrangeApp(world, { replicas: 1, budget: { minAvailable: 1 } })
      const pod = await getStuck(world, pods)
      await isReleased(world, pod)
      await world.lifeboat.kill()
      await world.arrange('DELETE', deploymentPath)
      await world.eventually(
        'its ReplicaSet goes',
        async () => ((await world.read(paths.replicaSets)).body['items'] as unknown[]).length,
        (count) => count === 0,
      )
      await takeOut(world)
      await world.eventually(
        'no pod is left',
        () => podsOf(world),
        (left) => left.length === 0,
      )
      world.observe('no pod is left', true)
      await world.lifeboat.start()
    },
  },
  {
    name: 'an autoscaler that was raised is put back, and its pods bear no trace',
    ownCluster: true,
    run: async (world) => {
      await world.arrange('POST', autoscalersPath, {
        metadata: {
          name: 'web',
          namespace: 'NS',
          annotations: { 'evacuation.coordination.k8s.io/priority': 'true' },
        },
        spec: {
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
          minReplicas: 2,
          maxReplicas: 10,
        },
      })
      const pods = await arrangeApp(world, { replicas: 2, strategy: { type: 'Recreate' } })
      await getStuck(world, pods)
      const seen = async () => (await world.read(`${autoscalersPath}/web`)).body as unknown as AutoscalerSeen
      await world.eventually('it is raised', seen, ({ spec }) => spec.minReplicas === 3)
      await takeOut(world)
      const { metadata, spec } = await seen()
      if (spec.minReplicas !== 2) throw new Error(`minReplicas is ${spec.minReplicas}, not 2`)
      world.observe('autoscaler', { labels: metadata.labels ?? {}, annotations: metadata.annotations })
      const old = (await podsOf(world)).filter(({ metadata: { uid } }) =>
        pods.some((each) => each.metadata.uid === uid),
      )
      isWithoutTraces(world, old)
      await world.lifeboat.start()
    },
  },
]

interface AutoscalerSeen {
  readonly metadata: { readonly labels?: object; readonly annotations: object }
  readonly spec: { readonly minReplicas: number }
}
