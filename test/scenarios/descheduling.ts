import {
  arrangeMachine,
  evictable,
  evictionInProgress,
  impatient,
  isMoving,
  machines,
  moves,
  onlyEvictions,
  patient,
  policyFor,
  seeCycle,
  type DeschedulingScenario,
  type DeschedulingWorld,
} from './descheduling-world.ts'
import { arrangePod, becomes, evacuate, isGone, isOver, pathOf, report, stays, type PodKey } from './lifeboat-world.ts'
import { arrangeNodes, merge } from './workload-world.ts'

// KEP-1397, told to any Kubernetes with Lifeboat on it. The first names are those of its test plan.

const background: readonly DeschedulingScenario[] = [
  {
    name: 'EvacuationInBackground: a pod that is asked to leave is gone when its evacuator is done, and not before',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangeMachine(world, 'machine')
      const descheduler = await world.startDescheduler(policyFor(world))
      await seeCycle(world, 'it is asked', descheduler)
      await isMoving(world, pod)
      await stays(world, pod, 5_000)
      await seeCycle(world, 'it is on its way', descheduler)
      await moves(world, pod)
      await seeCycle(world, 'nothing is left to do', descheduler)
    },
  },
  {
    name: 'EvacuationInBackground: the refusal of an eviction that promises an evacuation counts as one, also after a restart',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangeMachine(world, 'machine', { annotations: onlyEvictions })
      const policy = policyFor(world, { maxNoOfPodsToEvictPerNode: 1 })
      const first = await world.startDescheduler(policy, { mode: 'evict' })
      await seeCycle(world, 'it is promised', first)
      await isMoving(world, pod)
      const calls = await world.evictionCalls()
      await seeCycle(world, 'it is not asked again', first)
      const second = await world.startDescheduler(policy, { mode: 'evict' })
      await seeCycle(world, 'nor by the next process', second)
      world.observe('evictions meanwhile', (await world.evictionCalls()) - calls)
      await moves(world, pod)
    },
  },
  {
    name: 'EvacuationInBackground: a pod that takes evictions only is evicted, whatever the mode',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangePod(world, 'plain', {
        annotations: { ...evictable, ...onlyEvictions },
        spec: { nodeName: `${world.namespace}-0` },
      })
      await seeCycle(world, 'it is evicted', await world.startDescheduler(policyFor(world)))
      await isOver(world, pod)
      world.observe('evictions', await world.evictionCalls())
    },
  },
]

interface LeftPod {
  readonly metadata: {
    readonly namespace: string
    readonly name: string
    readonly uid: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
}

/**
 * What is left of other stories counts, too, until their namespaces are gone. A pod whose node went before it would be
 * there for a minute: no kubelet ends it, and Kubernetes waits before it does.
 */
async function untilNobodyLeaves(world: DeschedulingWorld): Promise<void> {
  const wanted = async () => {
    const evacuations = await world.read('/apis/evacuation.coordination.k8s.io/v1alpha1/evacuations')
    const pods = await world.read('/api/v1/pods')
    const items = evacuations.body['items'] as { spec: { podRef: PodKey } }[]
    const uids = new Set(items.map(({ spec }) => spec.podRef.uid))
    const left = (pods.body['items'] as LeftPod[]).filter(
      ({ metadata: { uid, annotations = {} } }) => uids.has(uid) || evictionInProgress in annotations,
    )
    for (const { metadata } of left) {
      if (metadata.deletionTimestamp === undefined) continue
      const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`
      // It may be gone by now.
      await world.arrange('DELETE', path, { gracePeriodSeconds: 0 }).catch(() => {})
    }
    return left.map(({ metadata: { uid } }) => uid)
  }
  await world.eventually('nobody is on the way', wanted, (left) => left.length === 0)
}

const limits: readonly DeschedulingScenario[] = [
  {
    name: 'EvacuationLimitReached: requests count whoever made them, until their pods are gone',
    // The limit is one for the whole cluster.
    ownCluster: true,
    run: async (world) => {
      await untilNobodyLeaves(world)
      await arrangeNodes(world, 2)
      const names = ['a', 'b', 'c', 'd', 'e']
      const pods = new Map<string, PodKey>()
      for (const name of names) pods.set(name, await arrangeMachine(world, name, { node: names.indexOf(name) % 2 }))
      const [a, b] = [...pods.values()]
      if (a === undefined || b === undefined) throw new Error('there are five pods')
      for (const pod of [a, b]) await evacuate(world, pod)
      const policy = policyFor(world, { maxNoOfPodsToEvictTotal: 3 })
      const first = await world.startDescheduler(policy)
      await seeCycle(world, 'one more', first)
      await seeCycle(world, 'and no more', first)
      await seeCycle(world, 'nor by the next process', await world.startDescheduler(policy))
      await moves(world, a)
      const third = await world.startDescheduler(policy)
      await seeCycle(world, 'a place is free', third)
      await seeCycle(world, 'and taken', third)
    },
  },
  {
    name: 'limits per node: never more on their way from a node, cycle after cycle and process after process',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const first = await arrangeMachine(world, 'a0')
      for (const name of ['b0', 'c0']) await arrangeMachine(world, name)
      for (const name of ['a1', 'b1']) await arrangeMachine(world, name, { node: 1 })
      const policy = policyFor(world, { maxNoOfPodsToEvictPerNode: 1 })
      const descheduler = await world.startDescheduler(policy)
      await seeCycle(world, 'one of each node', descheduler)
      await seeCycle(world, 'and no more', descheduler)
      await seeCycle(world, 'nor by the next process', await world.startDescheduler(policy))
      await moves(world, first)
      await seeCycle(world, 'the next of that node', await world.startDescheduler(policy))
    },
  },
  {
    name: 'limits per namespace: the smaller of the two fields rules, and others count',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const first = await arrangeMachine(world, 'a')
      for (const name of ['b', 'c', 'd']) await arrangeMachine(world, name, { node: 1 })
      await evacuate(world, first)
      const top = { maxNoOfPodsToEvictPerNamespace: 3, maxNoOfPodsEvacuationsPerNamespace: 2 }
      const descheduler = await world.startDescheduler(policyFor(world, top))
      await seeCycle(world, 'one more', descheduler)
      await seeCycle(world, 'and no more', descheduler)
    },
  },
  {
    name: 'an Evacuation that somebody deletes frees its place, and its pod is asked for again once it is gone',
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangeMachine(world, 'machine')
      const policy = policyFor(world, { maxNoOfPodsToEvictPerNamespace: 1 })
      const descheduler = await world.startDescheduler(policy)
      await seeCycle(world, 'it is asked', descheduler)
      await isMoving(world, pod)
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers: null } }, merge)
      await world.attempt('DELETE', pathOf(pod), {})
      await isGone(world, pathOf(pod))
      await stays(world, pod)
      await seeCycle(world, 'it is asked again', await world.startDescheduler(policy))
      await isMoving(world, pod)
    },
  },
]

/** Told alone: an impatient descheduler takes back all requests, also those of other stories. */
const patience: readonly DeschedulingScenario[] = [
  {
    name: 'EvacuationTTL: a request that takes too long is taken back, and another pod has its turn',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const slow = await arrangeMachine(world, 'slow')
      const policy = policyFor(world, { maxNoOfPodsToEvictPerNamespace: 1 })
      await seeCycle(world, 'it is asked', await world.startDescheduler(policy, patient))
      await isMoving(world, slow)
      const other = await arrangeMachine(world, 'other', { node: 1 })
      await seeCycle(world, 'it has time', await world.startDescheduler(policy, patient))
      await world.pass(2_000)
      await seeCycle(world, 'its time is up', await world.startDescheduler(policy, impatient))
      await isGone(world, pathOf(slow))
      await stays(world, slow)
      await moves(world, other)
      await seeCycle(world, 'it is asked again, as the last', await world.startDescheduler(policy, patient))
    },
  },
  {
    name: 'EvacuationTTL: a request that may not be cancelled stays, and keeps its place',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangeMachine(world, 'machine')
      await arrangeMachine(world, 'other', { node: 1 })
      const policy = policyFor(world, { maxNoOfPodsToEvictPerNamespace: 1 })
      await seeCycle(world, 'it is asked', await world.startDescheduler(policy, patient))
      await isMoving(world, pod)
      await report(world, pod, { evacuationCancellationPolicy: 'Forbid' })
      await world.pass(2_000)
      await seeCycle(world, 'it stays', await world.startDescheduler(policy, impatient))
      await moves(world, pod)
    },
  },
  {
    name: 'EvacuationTTL: what others want too stays wanted by them',
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const pod = await arrangeMachine(world, 'machine')
      await seeCycle(world, 'it is asked', await world.startDescheduler(policyFor(world), patient))
      const seen = await becomes(world, pod, 'it is moving', ({ status }) => status.activeEvacuatorClass === machines)
      const finalizers = [
        ...(seen.metadata.finalizers ?? []),
        'evacuation.coordination.k8s.io/instigator_drill.example.com',
      ]
      await world.arrange('PATCH', pathOf(pod), { metadata: { finalizers } }, merge)
      await world.pass(2_000)
      await seeCycle(world, 'it is taken back', await world.startDescheduler(policyFor(world), impatient))
      const left = await becomes(
        world,
        pod,
        'it is still wanted',
        ({ metadata }) => metadata.deletionTimestamp === undefined,
      )
      world.observe('by', left.metadata.finalizers)
    },
  },
]

export const deschedulingScenarios: readonly DeschedulingScenario[] = [...background, ...limits, ...patience]
