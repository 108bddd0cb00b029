import {
  arrangeMachine,
  impatient,
  isMoving,
  moves,
  patient,
  policyFor,
  policyWith,
  seeCycle,
  type DeschedulingScenario,
  type DeschedulingWorld,
} from './descheduling-world.ts'
import { evacuate, isGone, pathOf, stays, type PodKey } from './lifeboat-world.ts'
import { arrangeNodes } from './workload-world.ts'

// KEP-1397: pods that are on their way come first in whatever order a plugin has, and pods whose request was taken back
// come last. What a plugin does depends on that order, also in the next process.

const priorities = { none: undefined, low: 100, high: 1_000 } as const
type Priority = keyof typeof priorities

const priorityClasses = '/apis/scheduling.k8s.io/v1/priorityclasses'
const nameOf = (priority: Priority) => `NS-${priority}`

/** They belong to no namespace: a story that has made some takes them away. */
async function withPriorities(world: DeschedulingWorld, tell: () => Promise<void>): Promise<void> {
  const made: Priority[] = []
  try {
    for (const priority of ['low', 'high'] as const) {
      const body = { metadata: { name: nameOf(priority) }, value: priorities[priority] }
      await world.arrange('POST', priorityClasses, body)
      made.push(priority)
    }
    await tell()
  } finally {
    for (const priority of made) await world.attempt('DELETE', `${priorityClasses}/${nameOf(priority)}`, {})
  }
}

/** Eight of them fill a node. Priority and place in the alphabet do not agree. */
async function arrangeLoad(world: DeschedulingWorld, name: string, priority: Priority): Promise<PodKey> {
  const resources = { requests: { cpu: '500m' } }
  return arrangeMachine(world, name, {
    spec: {
      containers: [{ name: 'main', image: 'web:1', resources }],
      ...(priority === 'none' ? {} : { priorityClassName: nameOf(priority) }),
    },
  })
}

/** A node that is more than half full loses pods until it is half full. */
function balanced(world: DeschedulingWorld): object {
  const LowNodeUtilization = { thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } }
  return policyWith(world, { story: { balance: { LowNodeUtilization } } })
}

export const orderScenarios: readonly DeschedulingScenario[] = [
  {
    name: 'order: who is on the way comes first and meets the need, then the lowest priority, also after a restart',
    run: (world) =>
      withPriorities(world, async () => {
        await arrangeNodes(world, 2, () => ({ capacity: { cpu: '4' } }))
        await arrangeLoad(world, 'a-high', 'high')
        await arrangeLoad(world, 'b-low', 'low')
        const first = await arrangeLoad(world, 'c-none', 'none')
        await arrangeLoad(world, 'd-low', 'low')
        await arrangeLoad(world, 'e-high', 'high')
        // By its priority it would be the last.
        const wanted = await arrangeLoad(world, 'f-high', 'high')
        await evacuate(world, wanted)
        await isMoving(world, wanted)
        const descheduler = await world.startDescheduler(balanced(world))
        await seeCycle(world, 'two are too many, and one of them is on its way', descheduler)
        await seeCycle(world, 'nothing more is needed', descheduler)
        await seeCycle(world, 'nor by the next process', await world.startDescheduler(balanced(world)))
        await moves(world, first)
        await seeCycle(world, 'one is still on its way', await world.startDescheduler(balanced(world)))
        await arrangeLoad(world, 'g-high', 'high')
        await arrangeLoad(world, 'h-none', 'none')
        await seeCycle(world, 'three are too many by now', await world.startDescheduler(balanced(world)))
      }),
  },
  {
    name: 'order: a pod whose request was taken back comes last, process after process',
    // An impatient descheduler takes back all requests, also those of other stories.
    ownCluster: true,
    run: async (world) => {
      await arrangeNodes(world, 2)
      const [a, b, c] = [
        await arrangeMachine(world, 'a'),
        await arrangeMachine(world, 'b'),
        await arrangeMachine(world, 'c'),
      ]
      const policy = policyFor(world, { maxNoOfPodsToEvictPerNamespace: 1 })
      await seeCycle(world, 'the first of all', await world.startDescheduler(policy, patient))
      await isMoving(world, a)
      await world.pass(2_000)
      await seeCycle(world, 'its time is up', await world.startDescheduler(policy, impatient))
      await isGone(world, pathOf(a))
      await stays(world, a)
      await moves(world, b)
      await seeCycle(world, 'one that was never asked', await world.startDescheduler(policy, patient))
      await moves(world, c)
      await seeCycle(world, 'the last of all', await world.startDescheduler(policy, patient))
      await moves(world, a)
    },
  },
]
