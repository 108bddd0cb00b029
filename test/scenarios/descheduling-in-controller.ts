import { annotations } from '../../src/api/names.ts'
import { annotationsFor } from '../build/nodes-and-pods.ts'
import { appIsReady, areOver, arrangeApp, keyOfPod, type DeploymentWorld } from './deployment-world.ts'
import { arrangePod, becomes, isOver, look, priorityOf, report, stays, type PodKey } from './lifeboat-world.ts'
import type { StoryNeeds } from './scenario.ts'
import { arrangeNodes } from './workload-world.ts'

// The descheduler as a part of the controller, which acts with Lifeboat's own account: its writes skip the webhooks.

export interface LeadingWorld extends DeploymentWorld {
  /** This process leads from now on, and runs the descheduler by this policy file. */
  lead(policy: unknown): Leader
}

export interface Leader {
  /** The file is another one now. */
  replacePolicy(policy: unknown): void
  /** Another one leads from now on: resolves when nothing of this one runs any more. */
  loseLead(): Promise<void>
}

export interface LeadingScenario extends StoryNeeds {
  readonly name: string
  readonly run: (world: LeadingWorld) => Promise<void>
}

const machines = 'machines.example.com'
const evictable = { 'descheduler.alpha.kubernetes.io/evict': '' }
const onlyEvictions = { 'descheduler.alpha.kubernetes.io/request-evict-only': '' }

/** Wants every running pod of the story gone. */
function policyFor({ namespace }: LeadingWorld, top: object = {}): object {
  const args = { states: ['Running'], namespaces: { include: [namespace] } }
  return {
    apiVersion: 'descheduler/v1alpha2',
    kind: 'DeschedulerPolicy',
    nodeSelector: `scenario=${namespace}`,
    ...top,
    profiles: [
      {
        name: 'story',
        pluginConfig: [{ name: 'PodLifeTime', args }],
        plugins: { deschedule: { enabled: ['PodLifeTime'] } },
      },
    ],
  }
}

/** A pod that leaves when its evacuator says so. */
async function arrangeMachine(
  world: LeadingWorld,
  name: string,
  more: Readonly<Record<string, string>> = {},
): Promise<PodKey> {
  return arrangePod(world, name, {
    annotations: { ...evictable, [priorityOf(machines)]: '11000', ...more },
    spec: { nodeName: `${world.namespace}-0` },
  })
}

/** Waits until the pod was asked to leave, and notes by whom and how. */
async function isAsked(world: LeadingWorld, pod: PodKey, what: string): Promise<string> {
  const seen = await world.eventually(
    what,
    () => look(world, pod),
    (found) => found !== undefined,
  )
  const { uid, finalizers = [], annotations: notes = {} } = seen?.metadata ?? { uid: '' }
  const note = notes[annotations.deschedulerRequest]
  world.observe(what, {
    finalizers: finalizers.toSorted(),
    by: note === undefined ? undefined : (JSON.parse(note) as { strategy: string }).strategy,
    evacuators: seen?.spec.evacuators,
  })
  return uid
}

async function isNotAsked(world: LeadingWorld, pod: PodKey, milliseconds: number): Promise<void> {
  await stays(world, pod, milliseconds)
  world.observe(`${pod.name} has no Evacuation`, (await look(world, pod)) === undefined)
}

async function moves(world: LeadingWorld, pod: PodKey): Promise<void> {
  await becomes(world, pod, `${pod.name} is moving`, ({ status }) => status.activeEvacuatorClass === machines)
  await report(world, pod, { activeEvacuatorCompleted: true })
  await isOver(world, pod)
}

export const leadingScenarios: readonly LeadingScenario[] = [
  {
    name: 'a single replica has its replacement before it goes, as with an account of its own',
    ownCluster: true,
    run: async (world) => {
      const podAnnotations = annotationsFor({ readyAfter: '2s' })
      const [pod] = await arrangeApp(world, { replicas: 1, budget: { minAvailable: 1 }, podAnnotations })
      if (pod === undefined) throw new Error('there is one replica')
      const leader = world.lead(policyFor(world))
      await isAsked(world, keyOfPod(pod), 'it is asked')
      // Otherwise its replacement would be the next.
      await leader.loseLead()
      await areOver(world, [keyOfPod(pod)])
      await appIsReady(world, 1)
      world.observe('fewest ready pods', world.sampler.seen().readyPodsMin)
    },
  },
  {
    name: 'the next leader counts what is under way, and asks for nothing twice',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const [first, second] = [await arrangeMachine(world, 'first'), await arrangeMachine(world, 'second')]
      const leader = world.lead(policyFor(world, { maxNoOfPodsToEvictTotal: 1 }))
      const uid = await isAsked(world, first, 'the first is asked')
      await isNotAsked(world, second, 5_000)
      await leader.loseLead()
      const next = world.lead(policyFor(world, { maxNoOfPodsToEvictTotal: 1 }))
      await isNotAsked(world, second, 5_000)
      world.observe('the request is still the same', (await look(world, first))?.metadata.uid === uid)
      await moves(world, first)
      await isAsked(world, second, 'the second is asked')
      await next.loseLead()
      await moves(world, second)
    },
  },
  {
    name: 'who does not lead any more asks for nothing',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const first = await arrangeMachine(world, 'first')
      const leader = world.lead(policyFor(world))
      await isAsked(world, first, 'the first is asked')
      await leader.loseLead()
      await isNotAsked(world, await arrangeMachine(world, 'second'), 5_000)
    },
  },
  {
    name: 'a policy that is wrong is not followed, and one that is right is as soon as it is there',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangeMachine(world, 'machine')
      const leader = world.lead(policyFor(world, { maxNoOfPodsToEvictTotal: 'many' }))
      await isNotAsked(world, pod, 5_000)
      leader.replacePolicy(policyFor(world, { gracePeriodSeconds: 30 }))
      await isNotAsked(world, pod, 5_000)
      leader.replacePolicy(policyFor(world))
      await isAsked(world, pod, 'it is asked')
      await leader.loseLead()
    },
  },
  {
    name: 'a pod that takes evictions only is evicted, unless an evacuator claims it',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const claimed = await arrangeMachine(world, 'claimed', onlyEvictions)
      const leader = world.lead(policyFor(world))
      await isAsked(world, claimed, 'it has an Evacuation, as if another one had evicted it')
      await stays(world, claimed, 5_000)
      world.observe('evictions of the one that is claimed', await world.evictionCalls())
      const plain = await arrangePod(world, 'plain', {
        annotations: { ...evictable, ...onlyEvictions },
        spec: { nodeName: `${world.namespace}-0` },
      })
      await isOver(world, plain)
      await leader.loseLead()
      world.observe('evictions of the other one', await world.evictionCalls())
    },
  },
]
