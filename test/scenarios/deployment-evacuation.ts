import { deploymentCancelScenarios } from './deployment-cancel.ts'
import { deploymentMeddlingScenarios } from './deployment-meddling.ts'
import { deploymentScaleDownScenarios } from './deployment-scale-down.ts'
import { deploymentTroubleScenarios } from './deployment-trouble.ts'
import {
  areOver,
  arrangeApp,
  change,
  cordon,
  drain,
  isNeverBelow,
  isSettled,
  type App,
  type DeploymentScenario,
} from './deployment-world.ts'
import { paths, type PodSeen } from './workload-world.ts'

// Deployments whose pods leave, told to any Kubernetes with Lifeboat on it.

interface Move {
  readonly name: string
  readonly app: App
  /** How many of its pods leave at once: all of them if not said. */
  readonly leaving?: number
  /** Instead: those on so many nodes. */
  readonly leavingNodes?: number
  /** What happens to the Deployment before. */
  readonly before?: object
  /** What must be there at every moment: as many as wanted if not said. */
  readonly ready?: number
  readonly podsMax: number
  /** How often anybody asks for an eviction: once for each pod if nobody has to be refused. */
  readonly evictions?: number
  readonly virtualTimeOnly?: string
}

const antiAffinity = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
      ],
    },
  },
}
const surge = (maxSurge: number | string, maxUnavailable: number | string = 0) => ({
  type: 'RollingUpdate',
  rollingUpdate: { maxSurge, maxUnavailable },
})
const optIn = { 'evacuation.coordination.k8s.io/strategy': 'MaxUnavailable' }

const moves: readonly Move[] = [
  {
    name: 'one replica under minAvailable 1',
    app: { replicas: 1, budget: { minAvailable: 1 } },
    podsMax: 2,
    evictions: 1,
  },
  {
    name: 'two replicas under maxUnavailable 0',
    app: { replicas: 2, budget: { maxUnavailable: 0 } },
    podsMax: 3,
    evictions: 2,
  },
  {
    name: 'forty replicas under a budget of 10 %, half of which leave',
    app: { replicas: 40, nodes: 8, budget: { maxUnavailable: '10%' } },
    leavingNodes: 4,
    podsMax: 50,
  },
  {
    name: 'three replicas without a budget that keep off each other’s nodes',
    app: { replicas: 3, nodes: 4, podSpec: antiAffinity },
    leaving: 1,
    podsMax: 4,
  },
  {
    name: 'three replicas with maxSurge 1',
    app: { replicas: 3, nodes: 6, strategy: surge(1), budget: { maxUnavailable: 0 } },
    podsMax: 4,
  },
  {
    name: 'six replicas with maxSurge 25 %',
    app: { replicas: 6, nodes: 8, strategy: surge('25%'), budget: { maxUnavailable: 0 } },
    leaving: 4,
    podsMax: 8,
  },
  {
    name: 'three replicas with maxSurge 0 and the opt-in: never more than maxUnavailable are down',
    app: { replicas: 3, nodes: 6, strategy: surge(0, 1), annotations: optIn },
    ready: 2,
    podsMax: 3,
  },
  {
    name: 'three replicas with maxSurge 0 and no opt-in: as the budget allows',
    app: { replicas: 3, nodes: 6, strategy: surge(0, 1), budget: { minAvailable: 1 } },
    ready: 1,
    podsMax: 3,
  },
  {
    name: 'two replicas with the strategy Recreate: as the budget allows',
    app: { replicas: 2, nodes: 6, strategy: { type: 'Recreate' }, budget: { minAvailable: 1 } },
    ready: 1,
    podsMax: 2,
  },
  {
    name: 'two replicas of a Deployment that is paused',
    app: { replicas: 2, nodes: 6, budget: { maxUnavailable: 0 } },
    before: { spec: { paused: true } },
    podsMax: 3,
  },
  {
    name: 'one replica with minReadySeconds 30',
    app: { replicas: 1, spec: { minReadySeconds: 30 }, budget: { minAvailable: 1 } },
    podsMax: 2,
  },
]

export const moveScenarios: readonly DeploymentScenario[] = moves.map((move) => ({
  name: move.name,
  run: async (world) => {
    const { app, ready, podsMax, before, evictions } = move
    const pods = await arrangeApp(world, app)
    if (before !== undefined) await change(world, before)
    const left = await drain(world, leavingOf(move, pods))
    await areOver(world, left)
    await isSettled(world, app.replicas)
    isNeverBelow(world, { ready: ready ?? app.replicas, pods: podsMax, replicas: [app.replicas] })
    const asked = await world.evictionCalls()
    if (asked > (evictions ?? asked)) throw new Error(`${asked} evictions were asked for instead of ${evictions}`)
  },
}))

function leavingOf({ leaving, leavingNodes }: Move, pods: readonly PodSeen[]): readonly PodSeen[] {
  if (leavingNodes === undefined) return pods.slice(0, leaving ?? pods.length)
  const names = [...new Set(pods.map(({ spec }) => spec.nodeName ?? ''))].toSorted((a, b) => (a < b ? -1 : 1))
  const nodes = new Set(names.slice(0, leavingNodes))
  return pods.filter(({ spec }) => nodes.has(spec.nodeName ?? ''))
}

/** As `kubectl drain` does it, which knows nothing of Lifeboat. */
const plainDrain: DeploymentScenario = {
  name: 'one replica under minAvailable 1 that somebody asks to evict, again and again',
  run: async (world) => {
    const [pod] = await arrangeApp(world, { replicas: 1, budget: { minAvailable: 1 } })
    if (pod === undefined) throw new Error('there is a pod')
    await cordon(world, [pod])
    const { name, uid } = pod.metadata
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'NS' } }
    const answers = new Set<number>()
    await world.eventually(
      'the pod is gone',
      async () => {
        await world.pass(1_000)
        const { status } = await world.attempt('POST', `${paths.pods}/${name}/eviction`, body)
        answers.add(status)
        return status
      },
      (status) => status === 404,
    )
    world.observe('it is told to try again', answers.has(429))
    await areOver(world, [{ name, uid }])
    await isSettled(world, 1)
    isNeverBelow(world, { ready: 1, pods: 2, replicas: [1] })
  },
}

export const deploymentScenarios: readonly DeploymentScenario[] = [
  ...moveScenarios,
  plainDrain,
  ...deploymentTroubleScenarios,
  ...deploymentMeddlingScenarios,
  ...deploymentCancelScenarios,
  ...deploymentScaleDownScenarios,
]
