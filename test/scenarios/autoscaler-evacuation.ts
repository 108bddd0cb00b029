import type { LifeboatSwitch } from './daemon-set-evacuation.ts'
import {
  areOver,
  arrangeApp,
  cordon,
  deploymentPath,
  isBlocked,
  isNeverBelow,
  isSettled,
  keyOfPod,
  uncordonAll,
  withdraw,
  type App,
  type DeploymentWorld,
} from './deployment-world.ts'
import { evacuate, isGone, look, pathOf, stays, type PodKey } from './lifeboat-world.ts'
import { sampleFrom } from './sample-from.ts'
import type { StoryNeeds } from './scenario.ts'
import { arrangeNodes, merge, paths, podsOf, readyPods, template } from './workload-world.ts'

// The evacuator of autoscalers, told to any Kubernetes with Lifeboat on it. Nobody measures anything there, so an
// autoscaler follows its bounds alone, and never lowers what is within them.

export interface AutoscalerWorld extends DeploymentWorld {
  readonly lifeboat: LifeboatSwitch
}

export interface AutoscalerScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: AutoscalerWorld) => Promise<void>
}

const autoscalersPath = '/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers'
const scalerPath = `${autoscalersPath}/web`
const surge = 'evacuation.coordination.k8s.io/surge'
const priorityKey = 'evacuation.coordination.k8s.io/priority'

interface Scaler {
  readonly priority?: string
  readonly min?: number
  readonly max?: number
  readonly target?: { readonly kind: string; readonly name: string }
}

async function arrangeScaler(world: AutoscalerWorld, scaler: Scaler = {}): Promise<void> {
  const { priority, min = 2, max = 10, target = { kind: 'Deployment', name: 'web' } } = scaler
  await world.arrange('POST', autoscalersPath, {
    metadata: {
      name: 'web',
      namespace: 'NS',
      labels: { team: 'shop' },
      annotations: { colour: 'blue', ...(priority === undefined ? {} : { [priorityKey]: priority }) },
    },
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', ...target }, minReplicas: min, maxReplicas: max },
  })
}

/** A Deployment of two that has no evacuator of its own, with an autoscaler that has one. */
async function arrangeScaled(world: AutoscalerWorld, scaler: Scaler = { priority: 'true' }, app: Partial<App> = {}) {
  await arrangeScaler(world, scaler)
  const pods = await arrangeApp(world, { replicas: 2, strategy: { type: 'Recreate' }, ...app })
  await sampleFrom(world, 2, { endpoints: true })
  const keys = pods.map(keyOfPod)
  const [first, second] = keys
  if (first === undefined || second === undefined) throw new Error('there are two pods')
  return { first, second, pods }
}

interface ScalerSeen {
  readonly metadata: {
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }
  readonly spec: { readonly minReplicas: number }
}

async function seeScaler(world: AutoscalerWorld): Promise<ScalerSeen> {
  return (await world.read(scalerPath)).body as unknown as ScalerSeen
}

/** Raised for so many evacuations, and it says so itself. */
async function isRaised(world: AutoscalerWorld, min: number, evacuations: number): Promise<void> {
  const { metadata } = await world.eventually(
    `minReplicas is ${min}`,
    () => seeScaler(world),
    ({ spec }) => spec.minReplicas === min,
  )
  const note = JSON.parse(metadata.annotations[surge] ?? '{}') as {
    found?: number
    set?: number
    evacuations?: string[]
  }
  const isRight = note.set === min && note.evacuations?.length === evacuations && metadata.labels[surge] === ''
  if (!isRight) throw new Error(`the note says ${JSON.stringify(note)} of minReplicas ${min}`)
  world.observe('raised', { min, found: note.found, evacuations })
}

/** As it was, but for minReplicas if somebody else changed it. */
async function isPutBack(world: AutoscalerWorld, min = 2): Promise<void> {
  const { metadata, spec } = await world.eventually(
    'the autoscaler is put back',
    () => seeScaler(world),
    ({ metadata: { annotations, labels } }) => annotations[surge] === undefined && labels[surge] === undefined,
  )
  if (spec.minReplicas !== min) throw new Error(`minReplicas is ${spec.minReplicas}, not ${min}`)
  const { [priorityKey]: _, ...others } = metadata.annotations
  world.observe('put back', { labels: metadata.labels, annotations: others, min })
}

/** Raised, and no node takes the pod that would cover for the one that is to go. */
async function getStuck(world: AutoscalerWorld): Promise<PodKey> {
  const { first, pods } = await arrangeScaled(world)
  await cordon(world, pods)
  for (const at of [0, 1, 2]) {
    await world.arrange('PATCH', `/api/v1/nodes/${world.namespace}-${at}`, { spec: { unschedulable: true } }, merge)
  }
  await evacuate(world, first)
  await isRaised(world, 3, 1)
  await isBlocked(world, first, 'ReplacementUnschedulable', /which does not fit/)
  return first
}

const evacuatorsOf = async (world: AutoscalerWorld, pod: PodKey) =>
  (await look(world, pod))?.spec.evacuators?.map(({ evacuatorClass, priority }) => `${priority} ${evacuatorClass}`)

async function replicasOf(world: AutoscalerWorld): Promise<number> {
  return ((await world.read(deploymentPath)).body['spec'] as { replicas: number }).replicas
}

/** How many there are beyond the two that are wanted is up to the autoscaler, and when it looks. */
function isNeverFewer({ sampler }: AutoscalerWorld): void {
  const { readyPodsMin, readyEndpointsMin } = sampler.seen()
  if (readyPodsMin < 2 || readyEndpointsMin < 2)
    throw new Error(`fewer than 2: ${sampler.history.slice(-60).join('; ')}`)
}

const raising: readonly AutoscalerScenario[] = [
  {
    name: 'one pod: one more is ready before it goes, and minReplicas is what it was',
    run: async (world) => {
      const { first } = await arrangeScaled(world)
      await evacuate(world, first)
      world.observe('evacuators', await evacuatorsOf(world, first))
      await isRaised(world, 3, 1)
      await areOver(world, [first])
      await isPutBack(world)
      await isSettled(world, 3)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [2, 3] })
    },
  },
  {
    name: 'two pods: raised by both, lowered as they go, never fewer ready than before',
    run: async (world) => {
      const { first, second } = await arrangeScaled(
        world,
        { priority: '' },
        { podAnnotations: { 'lifeboat.test/ready-after': '5s' } },
      )
      await evacuate(world, first)
      await evacuate(world, second)
      await isRaised(world, 4, 2)
      await areOver(world, [first, second])
      await isPutBack(world)
      await isSettled(world, 4)
      isNeverFewer(world)
    },
  },
  {
    name: 'a StatefulSet has an autoscaler too',
    run: async (world) => {
      await arrangeNodes(world, 3)
      await arrangeScaler(world, { priority: 'true', target: { kind: 'StatefulSet', name: 'web' } })
      await world.arrange('POST', paths.statefulSets, {
        metadata: { name: 'web', namespace: 'NS' },
        spec: {
          replicas: 2,
          serviceName: 'web',
          selector: { matchLabels: { app: 'web' } },
          template: template(world, { spec: { terminationGracePeriodSeconds: 1 } }),
        },
      })
      const [pod] = await readyPods(world, 2)
      if (pod === undefined) throw new Error('there is a pod')
      await sampleFrom(world, 2, { endpoints: false })
      await evacuate(world, keyOfPod(pod))
      await isRaised(world, 3, 1)
      await areOver(world, [keyOfPod(pod)])
      await isPutBack(world)
      const now = await readyPods(world, 3)
      world.observe('pods', now.map(({ metadata }) => metadata.name).toSorted())
      if (world.sampler.seen().readyPodsMin < 2) throw new Error('fewer than two were ready')
    },
  },
  {
    name: 'cancelled on the way: minReplicas is what it was, and the pod stays',
    run: async (world) => {
      const pod = await getStuck(world)
      await withdraw(world, pod)
      await isGone(world, pathOf(pod))
      await isPutBack(world)
      await stays(world, pod)
      await uncordonAll(world)
      await isSettled(world, 3)
    },
  },
  {
    name: 'maxReplicas leaves no room: it says so, and goes on when it does',
    run: async (world) => {
      const { first } = await arrangeScaled(world, { priority: 'true', max: 2 })
      await evacuate(world, first)
      await isBlocked(world, first, 'AutoscalerAtMaximum', /needs 2 and its maxReplicas is 2/)
      await stays(world, first)
      await world.arrange('PATCH', scalerPath, { spec: { maxReplicas: 3 } }, merge)
      await areOver(world, [first])
      await isPutBack(world)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [2, 3] })
    },
  },
]

const priorities: readonly AutoscalerScenario[] = [
  {
    name: 'below 10000 the Deployment goes first, and nothing is raised',
    run: async (world) => {
      const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      const { first } = await arrangeScaled(world, { priority: '9999' }, { strategy })
      await evacuate(world, first)
      world.observe('evacuators', await evacuatorsOf(world, first))
      await areOver(world, [first])
      await isPutBack(world)
      await isSettled(world, 2)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [2] })
    },
  },
  {
    name: 'above 10000 the autoscaler goes first, and the Deployment after it',
    run: async (world) => {
      const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
      const { first } = await arrangeScaled(world, { priority: '12000' }, { strategy })
      await evacuate(world, first)
      world.observe('evacuators', await evacuatorsOf(world, first))
      await isRaised(world, 3, 1)
      await areOver(world, [first])
      await isPutBack(world)
      await isSettled(world, 3)
      isNeverBelow(world, { ready: 2, pods: 4, replicas: [2, 3] })
    },
  },
  {
    name: 'a priority that makes no sense is told as an event, and counts as none',
    run: async (world) => {
      const { first } = await arrangeScaled(world, { priority: '10000' })
      await evacuate(world, first)
      await areOver(world, [first])
      await isPutBack(world)
      const events = await world.eventually(
        'an event tells',
        async () =>
          (await world.read('/api/v1/namespaces/NS/events')).body['items'] as { reason: string; message: string }[],
        (items) => items.some(({ reason }) => reason === 'InvalidEvacuationPriority'),
      )
      world.observe('event', events.find(({ reason }) => reason === 'InvalidEvacuationPriority')?.message)
    },
  },
  {
    name: 'without the opt-in nothing is raised',
    run: async (world) => {
      const { first } = await arrangeScaled(world, {})
      await evacuate(world, first)
      await areOver(world, [first])
      await isPutBack(world)
      world.observe('replicas', await replicasOf(world))
    },
  },
]

const meddling: readonly AutoscalerScenario[] = [
  {
    name: 'somebody takes back what was raised: theirs stands, and the pod is evicted',
    run: async (world) => {
      const pod = await getStuck(world)
      await world.arrange('PATCH', scalerPath, { spec: { minReplicas: 1 } }, merge)
      await areOver(world, [pod])
      await isPutBack(world, 1)
      await uncordonAll(world)
    },
  },
  {
    name: 'somebody raises it further: theirs stands, and the pod goes when others are ready',
    run: async (world) => {
      const pod = await getStuck(world)
      await world.arrange('PATCH', scalerPath, { spec: { minReplicas: 5 } }, merge)
      await stays(world, pod)
      await uncordonAll(world)
      await areOver(world, [pod])
      await isPutBack(world, 5)
      isNeverFewer(world)
    },
  },
  {
    name: 'somebody opts out on the way: minReplicas is what it was',
    run: async (world) => {
      const pod = await getStuck(world)
      await world.arrange('PATCH', scalerPath, { metadata: { annotations: { [priorityKey]: null } } }, merge)
      await areOver(world, [pod])
      await isPutBack(world)
    },
  },
  {
    name: 'the autoscaler is deleted on the way: the pod is evicted',
    run: async (world) => {
      const pod = await getStuck(world)
      await world.arrange('DELETE', scalerPath)
      await areOver(world, [pod])
      world.observe('autoscaler', (await world.read(scalerPath)).status)
    },
  },
  {
    name: 'the Deployment is deleted on the way: minReplicas is what it was',
    run: async (world) => {
      const pod = await getStuck(world)
      await world.arrange('DELETE', deploymentPath)
      await areOver(world, [pod])
      await isPutBack(world)
      await world.eventually(
        'all pods go',
        () => podsOf(world),
        (left) => left.length === 0,
      )
    },
  },
]

const restarts: readonly AutoscalerScenario[] = [
  ...[300, 1_500].map((afterMs) => ({
    name: `killed ${afterMs} ms after the evacuation began, wherever that is: the end is the same`,
    ownCluster: true as const,
    run: async (world: AutoscalerWorld) => {
      const { first } = await arrangeScaled(world)
      await evacuate(world, first)
      await world.pass(afterMs)
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await areOver(world, [first])
      await isPutBack(world)
      isNeverFewer(world)
    },
  })),
  {
    name: 'killed after it raised, the pod is gone when it starts again: minReplicas is what it was',
    ownCluster: true,
    run: async (world) => {
      const pod = await getStuck(world)
      await world.lifeboat.kill()
      await world.arrange('DELETE', `${paths.pods}/${pod.name}`)
      await world.eventually(
        'the pod goes',
        () => podsOf(world),
        (pods) => !pods.some(({ metadata }) => metadata.uid === pod.uid),
      )
      world.observe('still raised', (await seeScaler(world)).spec.minReplicas)
      await world.lifeboat.start()
      await isGone(world, pathOf(pod))
      await isPutBack(world)
      await uncordonAll(world)
    },
  },
  {
    name: 'killed after it raised, it goes on when it starts again, and puts back what it found',
    ownCluster: true,
    run: async (world) => {
      const pod = await getStuck(world)
      await world.lifeboat.kill()
      await world.lifeboat.start()
      await isRaised(world, 3, 1)
      await uncordonAll(world)
      await areOver(world, [pod])
      await isPutBack(world)
      isNeverBelow(world, { ready: 2, pods: 3, replicas: [2, 3] })
    },
  },
  {
    name: 'killed after it raised, somebody changes it before it starts again: theirs stands',
    ownCluster: true,
    run: async (world) => {
      const pod = await getStuck(world)
      await world.lifeboat.kill()
      await world.arrange('PATCH', scalerPath, { spec: { minReplicas: 1 } }, merge)
      await world.lifeboat.start()
      await areOver(world, [pod])
      await isPutBack(world, 1)
      await uncordonAll(world)
    },
  },
]

export const autoscalerScenarios: readonly AutoscalerScenario[] = [...raising, ...priorities, ...meddling]
/** Those in which Lifeboat is killed, which others would notice. */
export const autoscalerRestarts: readonly AutoscalerScenario[] = restarts
