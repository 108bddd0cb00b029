import { annotationsFor } from '../build/nodes-and-pods.ts'
import {
  areOver,
  arrangeApp,
  change,
  deploymentPath,
  drain,
  hashLabel,
  isNeverBelow,
  isReleased,
  isSettled,
  keyOfPod,
  type App,
  type DeploymentScenario,
  type DeploymentWorld,
} from './deployment-world.ts'
import { look, type PodKey } from './lifeboat-world.ts'
import { merge, paths, podsOf, type PodSeen } from './workload-world.ts'

// What others do while a pod is released and its replacement is on its way.

interface Meddling {
  readonly name: string
  readonly replicas: number
  readonly app?: Partial<App>
  readonly meddle: (world: DeploymentWorld, released: PodSeen) => Promise<void>
  readonly replicasAfter: number
  /** At every moment; none is asked for where somebody took pods away on purpose. */
  readonly ready?: number
  readonly podsMax?: number
  readonly image?: string
  /** What spec.replicas was, by the hand of others. */
  readonly replicasSeen?: readonly number[]
}

const slow = annotationsFor({ readyAfter: '2s' })
const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }

const roll = (image: string) => ({ spec: { template: { spec: { containers: [{ name: 'main', image }] } } } })
const strategic = { contentType: 'application/strategic-merge-patch+json' }
const scale = (replicas: number) => (world: DeploymentWorld) => change(world, { spec: { replicas } })

async function remove(world: DeploymentWorld, path: string, options: object = {}): Promise<void> {
  await world.arrange('DELETE', path, { apiVersion: 'v1', kind: 'DeleteOptions', ...options })
}

const meddlings: readonly Meddling[] = [
  {
    name: 'the Deployment is scaled up',
    replicas: 2,
    meddle: scale(4),
    replicasAfter: 4,
    ready: 2,
    podsMax: 5,
    replicasSeen: [2, 4],
  },
  {
    name: 'the Deployment is scaled down',
    replicas: 3,
    meddle: scale(1),
    replicasAfter: 1,
    ready: 1,
    replicasSeen: [3, 1],
  },
  { name: 'the Deployment is scaled to 0', replicas: 2, meddle: scale(0), replicasAfter: 0 },
  {
    name: 'a new image is rolled out',
    replicas: 2,
    meddle: async (world) => void (await world.arrange('PATCH', deploymentPath, roll('web:2'), strategic)),
    replicasAfter: 2,
    ready: 2,
    // The Deployment surges by itself too, and does not know of the released one. Its two ReplicaSets act on their own:
    // one may have created a pod before the other has deleted one.
    podsMax: 5,
    image: 'web:2',
    replicasSeen: [2],
  },
  {
    name: 'a new image is rolled out and rolled back',
    replicas: 2,
    meddle: async (world) => {
      await world.arrange('PATCH', deploymentPath, roll('web:2'), strategic)
      await world.pass(1_000)
      await world.arrange('PATCH', deploymentPath, roll('web:1'), strategic)
    },
    replicasAfter: 2,
    ready: 2,
    podsMax: 5,
    image: 'web:1',
    replicasSeen: [2],
  },
  {
    name: 'the Deployment is paused',
    replicas: 2,
    meddle: (world) => change(world, { spec: { paused: true } }),
    replicasAfter: 2,
    ready: 2,
    podsMax: 3,
    replicasSeen: [2],
  },
  {
    name: 'the Deployment is deleted',
    replicas: 2,
    meddle: (world) => remove(world, deploymentPath, { propagationPolicy: 'Background' }),
    replicasAfter: 0,
  },
  {
    name: 'the Deployment is deleted after what it owns',
    replicas: 2,
    meddle: (world) => remove(world, deploymentPath, { propagationPolicy: 'Foreground' }),
    replicasAfter: 0,
  },
  {
    name: 'the Deployment is deleted and what it owns is left',
    replicas: 2,
    meddle: (world) => remove(world, deploymentPath, { propagationPolicy: 'Orphan' }),
    replicasAfter: 2,
    ready: 2,
    podsMax: 3,
    replicasSeen: [2],
  },
  {
    name: 'the ReplicaSet is deleted',
    replicas: 2,
    meddle: async (world) => {
      const { body } = await world.read(paths.replicaSets)
      const [replicaSet] = body['items'] as { metadata: { name: string } }[]
      await remove(world, `${paths.replicaSets}/${replicaSet?.metadata.name}`, { propagationPolicy: 'Background' })
    },
    replicasAfter: 2,
  },
  {
    name: 'the released pod is deleted by hand',
    replicas: 2,
    meddle: (world, { metadata }) => remove(world, `${paths.pods}/${metadata.name}`),
    replicasAfter: 2,
    ready: 1,
    podsMax: 3,
    replicasSeen: [2],
  },
  {
    name: 'the node of the released pod is lost',
    replicas: 2,
    meddle: (world, { spec }) => remove(world, `/api/v1/nodes/${spec.nodeName}`),
    replicasAfter: 2,
    ready: 1,
    podsMax: 3,
    replicasSeen: [2],
  },
  {
    name: 'somebody puts the label back',
    replicas: 2,
    meddle: async (world, { metadata }) => {
      const owned = (await podsOf(world)).find((pod) => pod.metadata.labels?.[hashLabel] !== undefined)
      const body = { metadata: { labels: { [hashLabel]: owned?.metadata.labels?.[hashLabel] } } }
      await world.arrange('PATCH', `${paths.pods}/${metadata.name}`, body, merge)
    },
    replicasAfter: 2,
    ready: 2,
    // The one that the ReplicaSet adopts is one more until it has removed another.
    podsMax: 3,
    replicasSeen: [2],
  },
]

/** Of the Deployment or, where it was deleted and its pods were not, of its ReplicaSet. */
const isSettledWith = async (world: DeploymentWorld, { replicasAfter, image }: Meddling) => {
  // An evacuation may be over before a rollout is.
  if (image !== undefined) {
    const isRolledOut = (pods: readonly PodSeen[]) => pods.every(({ spec }) => spec.containers[0]?.image === image)
    await world.eventually(`all pods have ${image}`, () => podsOf(world), isRolledOut)
  }
  const pods = await isSettled(world, replicasAfter)
  world.observe('images', [...new Set(pods.flatMap(({ spec }) => spec.containers.map((container) => container.image)))])
}

const claimsPath = '/api/v1/namespaces/NS/persistentvolumeclaims'

export const deploymentMeddlingScenarios: readonly DeploymentScenario[] = [
  ...meddlings.map((meddling): DeploymentScenario => ({
    name: `while a pod is released, ${meddling.name}`,
    run: async (world) => {
      const { replicas, app, ready, podsMax, replicasSeen } = meddling
      const pods = await arrangeApp(world, { replicas, nodes: 4, strategy, podAnnotations: slow, ...app })
      const [left] = (await drain(world, pods.slice(0, 1))) as [PodKey]
      const released = await isReleased(world, left)
      await meddling.meddle(world, released)
      await areOver(world, [left])
      await isSettledWith(world, meddling)
      if (ready === undefined) return
      isNeverBelow(world, { ready, pods: podsMax ?? Infinity, replicas: replicasSeen ?? [replicas] })
    },
  })),
  {
    name: 'a pod with a volume that can be on one node only is evicted, not released',
    run: async (world) => {
      const name = `${world.namespace}-disk`
      const size = { storage: '1Gi' }
      // The embedded cluster has claims and nothing behind them.
      await world.attempt('POST', '/api/v1/persistentvolumes', {
        metadata: { name },
        spec: {
          capacity: size,
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          hostPath: { path: '/tmp/disk' },
          claimRef: { namespace: 'NS', name: 'disk' },
        },
      })
      await world.arrange('POST', claimsPath, {
        metadata: { name: 'disk', namespace: 'NS' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: '',
          volumeName: name,
          resources: { requests: size },
        },
      })
      const podSpec = { volumes: [{ name: 'disk', persistentVolumeClaim: { claimName: 'disk' } }] }
      const [pod] = (await arrangeApp(world, { replicas: 1, strategy, podSpec })).map(keyOfPod) as [PodKey]
      const said: string[] = []
      await drain(world, await podsOf(world))
      await world.eventually(
        'the pod leaves',
        async () => {
          said.push((await look(world, pod))?.status.message ?? '')
          return podsOf(world)
        },
        (left) => left.every(({ metadata }) => metadata.uid !== pod.uid),
      )
      await areOver(world, [pod])
      await isSettled(world, 1)
      isNeverBelow(world, { ready: 0, pods: 1, replicas: [1] })
    },
  },
]
