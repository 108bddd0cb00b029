import type { LifeboatSwitch } from './daemon-set-evacuation.ts'
import {
  areOver,
  cordon,
  isNeverBelow,
  keyOfPod,
  uncordonAll,
  withdraw,
  type DeploymentWorld,
} from './deployment-world.ts'
import { evacuate, isGone, pathOf, stays } from './lifeboat-world.ts'
import { sampleFrom } from './sample-from.ts'
import type { StoryNeeds } from './scenario.ts'
import { arrangeNodes, isReady, merge, paths, podsOf, readyPods, template, type PodSeen } from './workload-world.ts'

// Pod Evict Policy, told to any Kubernetes with Lifeboat on it.

export interface EvictStrategyWorld extends DeploymentWorld {
  readonly lifeboat: LifeboatSwitch
}

export interface EvictStrategyScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: EvictStrategyWorld) => Promise<void>
}

const setPath = `${paths.replicaSets}/web`
const strategyKey = 'kubernetes.io/evict-strategy'
const wantedKey = 'kubernetes.io/pod-evict-wanted'
const labels = { app: 'web' }

interface SetChoices {
  readonly replicas?: number
  readonly strategy?: string
  readonly spec?: object
  readonly policy?: string
  /** How long its pods take to get ready, and how long their controller has. */
  readonly readyAfter?: string
  readonly timeout?: string
}

/** A ReplicaSet whose pods its controller takes away, all of them ready. */
async function arrangeSet(world: EvictStrategyWorld, choices: SetChoices = {}): Promise<readonly PodSeen[]> {
  const { replicas = 6, strategy, spec = {}, policy = 'ControllerTakeOver', readyAfter = '1s', timeout } = choices
  await arrangeNodes(world, 3)
  const service = { metadata: { name: 'web', namespace: 'NS' }, spec: { selector: labels, ports: [{ port: 80 }] } }
  await world.arrange('POST', paths.services, service)
  const annotations = {
    'kubernetes.io/evict-policy': policy,
    'lifeboat.test/ready-after': readyAfter,
    ...(timeout === undefined ? {} : { 'kubernetes.io/evict-timeout': timeout }),
  }
  await world.arrange('POST', paths.replicaSets, {
    metadata: { name: 'web', namespace: 'NS', annotations: strategy === undefined ? {} : { [strategyKey]: strategy } },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: template(world, { annotations, spec: { terminationGracePeriodSeconds: 1 } }),
      ...spec,
    },
  })
  const pods = await readyPods(world, replicas)
  await sampleFrom(world, replicas, { endpoints: true })
  return pods
}

const isWanted = ({ metadata }: PodSeen) =>
  (metadata as { annotations?: Record<string, string> }).annotations?.[wantedKey] === 'true'

/** So many of the pods are left, and each of them is asked for. */
async function areAsked(
  world: EvictStrategyWorld,
  pods: readonly PodSeen[],
  count: number,
): Promise<readonly PodSeen[]> {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid))
  const isLeft = ({ metadata }: PodSeen) => uids.has(metadata.uid) && metadata.deletionTimestamp === undefined
  const left = await world.eventually(
    `${count} are left and asked for`,
    async () => (await podsOf(world)).filter(isLeft),
    (found) => found.length === count && found.every(isWanted),
  )
  world.observe('asked for', count)
  return left
}

async function isSettled(world: EvictStrategyWorld, replicas: number): Promise<void> {
  const pods = await world.eventually(
    'the set is as it should be',
    () => podsOf(world),
    (all) => all.length === replicas && all.every((pod) => isReady(pod) && !isWanted(pod)),
  )
  world.observe('settled', pods.length)
}

const paced: readonly EvictStrategyScenario[] = [
  ...[
    { strategy: '{"maxUnavailable":1}', ready: 5 },
    { strategy: '{"maxUnavailable":"34%"}', ready: 4 },
  ].map(({ strategy, ready }) => ({
    name: `six pods with ${strategy}: never fewer than ${ready} ready, and nobody is evicted`,
    run: async (world: EvictStrategyWorld) => {
      const pods = await arrangeSet(world, { strategy })
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areOver(world, pods.map(keyOfPod))
      await isSettled(world, 6)
      isNeverBelow(world, { ready, pods: 6, replicas: [] })
      world.observe('evictions', await world.evictionCalls())
    },
  })),
  {
    name: 'replacements that take longer than a minute together: pods that give their controller time are not evicted',
    run: async (world) => {
      const slow = { readyAfter: '22s', timeout: '5m' }
      const pods = await arrangeSet(world, { replicas: 4, strategy: '{"maxUnavailable":1}', ...slow })
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areOver(world, pods.map(keyOfPod))
      await isSettled(world, 4)
      isNeverBelow(world, { ready: 3, pods: 4, replicas: [] })
      world.observe('evictions', await world.evictionCalls())
    },
  },
  {
    name: 'a replacement that cannot start: nobody else is deleted',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 3, strategy: '{"maxUnavailable":1}' })
      await cordon(world, pods)
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areAsked(world, pods, 2)
      await world.pass(5_000)
      await areAsked(world, pods, 2)
      await uncordonAll(world)
      await areOver(world, pods.map(keyOfPod))
      await isSettled(world, 3)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [] })
    },
  },
  {
    name: 'cancelled while it waits: the pod stays, and nobody asks for it any more',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 3, strategy: '{"maxUnavailable":1}' })
      await cordon(world, pods)
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      const left = (await areAsked(world, pods, 2)).map(keyOfPod)
      for (const pod of left) await withdraw(world, pod)
      for (const pod of left) await isGone(world, pathOf(pod))
      await uncordonAll(world)
      for (const pod of left) await stays(world, pod)
      await isSettled(world, 3)
    },
  },
  {
    name: 'killed on the way: it goes on',
    ownCluster: true,
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 4, strategy: '{"maxUnavailable":1}' })
      await cordon(world, pods)
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areAsked(world, pods, 3)
      await world.lifeboat.kill()
      await uncordonAll(world)
      await readyPods(world, 4)
      await areAsked(world, pods, 3)
      await world.lifeboat.start()
      await areOver(world, pods.map(keyOfPod))
      await isSettled(world, 4)
      isNeverBelow(world, { ready: 3, pods: 4, replicas: [] })
    },
  },
  {
    name: 'the set is deleted on the way: nothing is left',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 3, strategy: '{"maxUnavailable":1}' })
      await cordon(world, pods)
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areAsked(world, pods, 2)
      await world.arrange('DELETE', setPath)
      await areOver(world, pods.map(keyOfPod))
      await isSettled(world, 0)
    },
  },
]

const fallBack: readonly EvictStrategyScenario[] = [
  {
    name: 'without a strategy the pods are evicted when the minute is over, and not before',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 2 })
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areAsked(world, pods, 2)
      await world.pass(50_000)
      await areAsked(world, pods, 2)
      world.observe('evictions so far', await world.evictionCalls())
      await areOver(world, pods.map(keyOfPod))
      world.observe('evictions', await world.evictionCalls())
      await isSettled(world, 2)
    },
  },
  {
    name: 'a strategy that makes no sense is told as an event, and mended it counts',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 2, strategy: '{"maxUnavailable":0}' })
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areAsked(world, pods, 2)
      const events = await world.eventually(
        'an event tells',
        async () =>
          (await world.read('/api/v1/namespaces/NS/events')).body['items'] as { reason: string; message: string }[],
        (items) => items.some(({ reason }) => reason === 'InvalidEvictStrategy'),
      )
      world.observe('event', events.find(({ reason }) => reason === 'InvalidEvictStrategy')?.message)
      await world.arrange(
        'PATCH',
        setPath,
        { metadata: { annotations: { [strategyKey]: '{"maxUnavailable":1}' } } },
        merge,
      )
      await areOver(world, pods.map(keyOfPod))
      world.observe('evictions', await world.evictionCalls())
      await isSettled(world, 2)
      isNeverBelow(world, { ready: 1, pods: 2, replicas: [] })
    },
  },
  {
    name: 'the policy Default: evicted at once, whatever the strategy',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 2, strategy: '{"maxUnavailable":1}', policy: 'Default' })
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areOver(world, pods.map(keyOfPod))
      world.observe('evictions', await world.evictionCalls())
      await isSettled(world, 2)
    },
  },
  {
    name: 'with the gate PodEvictPolicy off: evicted at once',
    ownCluster: true,
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 2, strategy: '{"maxUnavailable":1}' })
      await world.lifeboat.kill()
      await world.lifeboat.start(['PodEvictPolicy'])
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areOver(world, pods.map(keyOfPod))
      world.observe('evictions', await world.evictionCalls())
      await isSettled(world, 2)
      await world.lifeboat.kill()
      await world.lifeboat.start()
    },
  },
]

export const evictStrategyScenarios: readonly EvictStrategyScenario[] = [...paced, ...fallBack]
