import type { DeploymentScenario, DeploymentWorld } from './deployment-world.ts'
import { areOver, cordon, isBlocked, isNeverBelow, keyOfPod, uncordonAll, withdraw } from './deployment-world.ts'
import { arrangeBudget, evacuate, evacuationsPath, isGone, pathOf, stays, type PodKey } from './lifeboat-world.ts'
import { sampleFrom } from './sample-from.ts'
import { arrangeNodes, isReady, merge, paths, podsOf, template, type PodSeen } from './workload-world.ts'

// The StatefulSet evacuator, told to any Kubernetes with Lifeboat on it.

interface SetChoices {
  readonly replicas?: number
  readonly optIn?: boolean
  readonly updateStrategy?: object
  readonly spec?: object
  readonly budget?: object
}

const setPath = `${paths.statefulSets}/web`
const strategy = 'evacuation.coordination.k8s.io/strategy'
const labels = { app: 'web' }
const slowly = { 'lifeboat.test/ready-after': '3s' }

/** A StatefulSet of five with a Service, all its pods ready. */
async function arrangeSet(world: DeploymentWorld, choices: SetChoices = {}): Promise<readonly PodSeen[]> {
  const { replicas = 5, optIn = true, updateStrategy, spec = {}, budget } = choices
  await arrangeNodes(world, 3)
  const service = { metadata: { name: 'web', namespace: 'NS' }, spec: { selector: labels, ports: [{ port: 80 }] } }
  await world.arrange('POST', paths.services, service)
  await world.arrange('POST', paths.statefulSets, {
    metadata: { name: 'web', namespace: 'NS', annotations: optIn ? { [strategy]: 'MaxUnavailable' } : {} },
    spec: {
      replicas,
      serviceName: 'web',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: template(world, { annotations: slowly, spec: { terminationGracePeriodSeconds: 1 } }),
      ...(updateStrategy === undefined ? {} : { updateStrategy }),
      ...spec,
    },
  })
  const pods = await setIsReady(world, replicas)
  if (budget !== undefined)
    await arrangeBudget(world, 'web', budget, { expectedPods: replicas, currentHealthy: replicas })
  await sampleFrom(world, replicas, { endpoints: true })
  return pods
}

async function setIsReady(world: DeploymentWorld, replicas: number): Promise<readonly PodSeen[]> {
  return world.eventually(
    `${replicas} pods are ready`,
    () => podsOf(world),
    (pods) => pods.length === replicas && pods.every(isReady),
  )
}

/** The names of the pods in the order in which they were made. */
function inOrderOfCreation(pods: readonly PodSeen[]): string[] {
  const createdAt = ({ metadata }: PodSeen) => (metadata as { creationTimestamp?: string }).creationTimestamp ?? ''
  return pods
    .toSorted((one, other) => (createdAt(one) < createdAt(other) ? -1 : 1))
    .map(({ metadata }) => metadata.name)
}

function keyAt(pods: readonly PodSeen[], ordinal: number): PodKey {
  const found = pods.find(({ metadata }) => metadata.name === `web-${ordinal}`)
  if (found === undefined) throw new Error(`there is no pod ${ordinal}`)
  return keyOfPod(found)
}

const byName = (one: PodSeen, other: PodSeen) => (one.metadata.name < other.metadata.name ? -1 : 1)

/** Nothing of Lifeboat is left. */
async function isSettled(world: DeploymentWorld, replicas: number): Promise<readonly PodSeen[]> {
  const pods = await setIsReady(world, replicas)
  const traces = pods.flatMap(({ metadata }) =>
    Object.keys((metadata as { annotations?: object }).annotations ?? {}).filter((key) => key.includes('evacuation')),
  )
  const left = await world.eventually(
    'the Evacuations go',
    async () => (await world.read(evacuationsPath)).body['items'] as unknown[],
    (items) => items.length === 0,
  )
  world.observe('settled', { pods: pods.length, traces, evacuations: left.length })
  return pods
}

/** All nodes are full, so to say, and the last pod is on its way back. */
async function getStuck(world: DeploymentWorld, ordinals: readonly number[]) {
  const pods = (await arrangeSet(world)).toSorted(byName)
  const moved = ordinals.flatMap((at) => pods[at] ?? [])
  await cordon(world, pods)
  for (const pod of moved) await evacuate(world, keyOfPod(pod))
  const [first, second] = moved.map(keyOfPod)
  if (first === undefined || second === undefined) throw new Error('two pods are evacuated')
  await isBlocked(world, second, 'ReplacementUnschedulable', /waits for its replacement web-4, which does not fit/)
  return { first, second, all: moved.map(keyOfPod) }
}

const paced: readonly DeploymentScenario[] = [
  {
    name: 'of five pods the highest ordinal first, in whatever order they were asked for, never more than one down',
    run: async (world) => {
      const pods = await arrangeSet(world)
      // While one is down for another reason nobody may go: time to ask for all the others, the lowest first.
      await cordon(world, pods)
      await world.arrange('DELETE', `${paths.pods}/web-2`)
      const moved = [0, 1, 3, 4].map((ordinal) => keyAt(pods, ordinal))
      for (const pod of moved) await evacuate(world, pod)
      await uncordonAll(world)
      await areOver(world, moved)
      const now = await isSettled(world, 5)
      isNeverBelow(world, { ready: 4, pods: 5, replicas: [] })
      world.observe('order', inOrderOfCreation(now))
    },
  },
  {
    name: 'maxUnavailable 2: never more than two down',
    run: async (world) => {
      const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } }
      const pods = await arrangeSet(world, { updateStrategy })
      for (const pod of pods) await evacuate(world, keyOfPod(pod))
      await areOver(world, pods.map(keyOfPod))
      await isSettled(world, 5)
      isNeverBelow(world, { ready: 3, pods: 5, replicas: [] })
    },
  },
  {
    name: 'minReadySeconds: the next when the last has been ready for so long',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 3, spec: { minReadySeconds: 3 } })
      const startedMs = world.nowMs()
      // The highest first: on a busy cluster another one would have begun before its Evacuation is there.
      for (const pod of pods.toReversed()) await evacuate(world, keyOfPod(pod))
      await areOver(world, pods.map(keyOfPod))
      world.observe('took its time', world.nowMs() - startedMs >= 10_000)
      world.observe('order', inOrderOfCreation(await isSettled(world, 3)))
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [] })
    },
  },
  {
    name: 'the budget is respected',
    run: async (world) => {
      const pods = await arrangeSet(world, { replicas: 3, budget: { minAvailable: 3 } })
      const last = keyAt(pods, 2)
      await evacuate(world, last)
      await isBlocked(world, last, 'DisruptionBudget', /waits for budget web \(3 healthy, 3 needed\)/)
      await stays(world, last)
      await world.arrange('PATCH', `${paths.budgets}/web`, { spec: { minAvailable: 2 } }, merge)
      await areOver(world, [last])
      await isSettled(world, 3)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [] })
    },
  },
]

const plain: readonly DeploymentScenario[] = [
  { name: 'no opt-in', choices: { optIn: false } },
  { name: 'OnDelete', choices: { updateStrategy: { type: 'OnDelete' } } },
].map(({ name, choices }) => ({
  name: `${name}: evicted by the controller, as the budget allows`,
  run: async (world) => {
    const budget = { maxUnavailable: 1 }
    const pods = await arrangeSet(world, { replicas: 3, budget, ...choices })
    for (const pod of pods) await evacuate(world, keyOfPod(pod))
    const { body } = await world.read(evacuationsPath)
    const items = body['items'] as { spec: { evacuators?: unknown[] } }[]
    world.observe(
      'evacuators',
      items.flatMap(({ spec }) => spec.evacuators ?? []),
    )
    await areOver(world, pods.map(keyOfPod))
    await isSettled(world, 3)
    isNeverBelow(world, { ready: 2, pods: 3, replicas: [] })
  },
}))

const meddling: readonly DeploymentScenario[] = [
  {
    name: 'a pod that does not come back stops the others, says why, and they go on when it does',
    run: async (world) => {
      const { second, all } = await getStuck(world, [4, 3])
      await stays(world, second)
      isNeverBelow(world, { ready: 4, pods: 5, replicas: [] })
      await uncordonAll(world)
      await areOver(world, all)
      await isSettled(world, 5)
      isNeverBelow(world, { ready: 4, pods: 5, replicas: [] })
    },
  },
  {
    name: 'cancelled while it waits for its turn: the pod stays, and nothing is left on it',
    run: async (world) => {
      const { first, second } = await getStuck(world, [4, 3])
      await withdraw(world, second)
      await isGone(world, pathOf(second))
      await uncordonAll(world)
      await areOver(world, [first])
      await stays(world, second)
      await isSettled(world, 5)
    },
  },
  {
    name: 'opted out on the way: the rest is evicted',
    run: async (world) => {
      const { all } = await getStuck(world, [4, 3, 2])
      await world.arrange('PATCH', setPath, { metadata: { annotations: { [strategy]: null } } }, merge)
      await areOver(world, all)
      await uncordonAll(world)
      await isSettled(world, 5)
    },
  },
  {
    name: 'scaled down on the way: what is left is evacuated too',
    run: async (world) => {
      const { all } = await getStuck(world, [4, 3, 2, 1, 0])
      await world.arrange('PATCH', setPath, { spec: { replicas: 2 } }, merge)
      await uncordonAll(world)
      await areOver(world, all)
      const now = await isSettled(world, 2)
      world.observe('pods', now.map(({ metadata }) => metadata.name).toSorted())
    },
  },
  {
    name: 'scaled up on the way: the new ones are none of its business',
    run: async (world) => {
      const { all } = await getStuck(world, [4, 3])
      await world.arrange('PATCH', setPath, { spec: { replicas: 6 } }, merge)
      await uncordonAll(world)
      await areOver(world, all)
      await isSettled(world, 6)
      isNeverBelow(world, { ready: 4, pods: 6, replicas: [] })
    },
  },
  {
    name: 'a pod deleted by hand on the way: its Evacuation ends, and the others wait for it',
    run: async (world) => {
      const { first, second } = await getStuck(world, [4, 3])
      await world.arrange('DELETE', `${paths.pods}/${second.name}`)
      await uncordonAll(world)
      await areOver(world, [first, second])
      await isSettled(world, 5)
    },
  },
  {
    name: 'the set deleted on the way: nothing is left',
    run: async (world) => {
      const { all } = await getStuck(world, [4, 3])
      await world.arrange('DELETE', setPath)
      await areOver(world, all)
      await isSettled(world, 0)
    },
  },
]

export const statefulSetScenarios: readonly DeploymentScenario[] = [...paced, ...plain, ...meddling]
