import { isDeepStrictEqual } from 'node:util'
import { look, pathOf, podsPath, report, type PodKey } from './lifeboat-world.ts'
import {
  announce,
  areEvacuated,
  arrangeMachines,
  becomes,
  conditionOf,
  evacuationsOf,
  held,
  isAlready,
  lookAtMaintenance,
  lookAtNode,
  maintenancePath,
  moveTo,
  podsAre,
  put,
  remains,
  remove,
  setUnschedulable,
  takeAway,
  type MaintenanceScenario,
  type MaintenanceWorld,
  type Stage,
} from './maintenance-world.ts'
import { merge, podsOf } from './workload-world.ts'

// KEP-4212: 'Supported Stage Transitions', 'Idle', 'Finalizers and Deletion of the NodeMaintenance', 'Uncordon
// (Complete)'.

type Step = Stage | 'Deletion'

/** Every way through the stages that the KEP allows; what it has in brackets with and without. */
const ways: readonly (readonly Step[])[] = [
  ['Idle', 'Deletion'],
  ['Cordon', 'Deletion'],
  ['Cordon', 'Complete', 'Deletion'],
  ['Idle', 'Cordon', 'Deletion'],
  ['Idle', 'Cordon', 'Complete', 'Deletion'],
  ['Drain', 'Deletion'],
  ['Drain', 'Complete', 'Deletion'],
  ['Cordon', 'Drain', 'Deletion'],
  ['Cordon', 'Drain', 'Complete', 'Deletion'],
  ['Idle', 'Drain', 'Deletion'],
  ['Idle', 'Drain', 'Complete', 'Deletion'],
  ['Idle', 'Cordon', 'Drain', 'Deletion'],
  ['Idle', 'Cordon', 'Drain', 'Complete', 'Deletion'],
  ['Complete', 'Deletion'],
  ['Idle', 'Complete', 'Deletion'],
]

const nameOf = (way: readonly Step[]) => way.join('-').toLowerCase()
const isDrainedOn = (way: readonly Step[], at: number) => way.slice(0, at + 1).includes('Drain')
/** A node that is only made schedulable was cordoned before: else nobody could tell. */
const onlyUncordons = (way: readonly Step[]) =>
  !way.includes('Cordon') && !way.includes('Drain') && way.includes('Complete')

interface Lines {
  readonly node: string
  readonly maintenance: string
}

/** What its node and it itself look like after a step. */
const linesAfter: Readonly<Record<Step, (way: readonly Step[]) => Lines>> = {
  Idle: (way) => ({ node: onlyUncordons(way) ? 'cordoned' : 'schedulable', maintenance: 'Idle' }),
  Cordon: () => ({ node: 'cordoned by Lifeboat', maintenance: 'Cordon, held' }),
  Drain: () => ({
    node: 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating',
    maintenance: 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating',
  }),
  Complete: () => ({ node: 'schedulable', maintenance: 'Complete, completed' }),
  Deletion: () => ({ node: 'schedulable', maintenance: 'gone' }),
}

async function take(world: MaintenanceWorld, way: readonly Step[], at: number): Promise<void> {
  const step = way[at]
  const name = nameOf(way)
  if (step === undefined) return
  if (step === 'Deletion') await remove(world, name)
  else if (at === 0) await announce(world, name, { nodes: [name], stage: step })
  else await moveTo(world, name, step)
}

/** Waits until all stages up to now are said to have started. */
async function haveStarted(world: MaintenanceWorld, name: string, steps: readonly Step[]): Promise<void> {
  const stages = await world.eventually(
    `${name}: ${steps.join()} are said to have started`,
    async () => ((await lookAtMaintenance(world, name))?.status.stageStatuses ?? []).map((stage) => stage.name),
    (seen) => seen.join() === steps.join(),
  )
  world.observe('stageStatuses', stages)
}

/** All ways at once, each on a node of its own: after every step all of them have arrived. */
async function allWays(world: MaintenanceWorld): Promise<void> {
  await arrangeMachines(world, ways.map(nameOf))
  for (const way of ways) {
    await put(world, nameOf(way), nameOf(way))
    if (onlyUncordons(way)) await setUnschedulable(world, nameOf(way), true)
  }
  for (let at = 0; at < Math.max(...ways.map((way) => way.length)); at++) {
    const going = ways.filter((way) => at < way.length)
    for (const way of going) await take(world, way, at)
    for (const way of going) {
      const { node, maintenance } = linesAfter[way[at] ?? 'Deletion'](way)
      const name = nameOf(way)
      await becomes(world, `${way.slice(0, at + 1).join(' -> ')} of ${way.join(' -> ')}`, {
        nodes: { [name]: node },
        maintenances: { [name]: maintenance },
      })
      if (way[at] !== 'Deletion') await haveStarted(world, name, way.slice(0, at + 1))
    }
    const left = ways.filter((way) => !isDrainedOn(way, at)).map(nameOf)
    await podsAre(world, 'pods of nodes that were never drained', left)
  }
}

/** Two pods that leave when they are told, and one that the story takes away. */
async function beginDrain(world: MaintenanceWorld): Promise<{ readonly one: PodKey; readonly two: PodKey }> {
  await arrangeMachines(world, ['one', 'two'])
  const one = await put(world, 'one', 'first', { annotations: held })
  const two = await put(world, 'two', 'second', { annotations: held })
  await put(world, 'two', 'third')
  await announce(world, 'upgrade', { nodes: ['one', 'two'] })
  await areEvacuated(world, 'two pods wait', ['first', 'second'])
  const line = 'cordoned by Lifeboat: Evacuating; 0 pending, 1 evacuating'
  await becomes(world, 'it is under way', {
    nodes: { one: line, two: line },
    maintenances: { upgrade: 'Drain, held: Evacuating; 0 of 2 nodes drained; 0 pending, 2 evacuating' },
  })
  return { one, two }
}

async function nobodyIsHurt(world: MaintenanceWorld, pods: readonly PodKey[]): Promise<void> {
  await world.pass(2_000)
  const left = await podsOf(world)
  const hurt = pods.filter(
    ({ uid }) => !left.some(({ metadata }) => metadata.uid === uid && metadata.deletionTimestamp === undefined),
  )
  if (hurt.length > 0) throw new Error(`gone: ${hurt.map(({ name }) => name).join()}`)
  const { length } = await evacuationsOf(world)
  world.observe('pods that stay, and Evacuations', { pods: left.length, evacuations: length })
}

const back = { one: 'schedulable', two: 'schedulable' }

const deletions: readonly MaintenanceScenario[] = [
  {
    name: 'deleted "without all of its pods terminating" it lets its pods and nodes go first',
    run: async (world) => {
      const { one, two } = await beginDrain(world)
      await remove(world, 'upgrade')
      await becomes(world, 'it is gone', { maintenances: { upgrade: 'gone' } })
      await isAlready(world, 'then all is as before', { nodes: back })
      await areEvacuated(world, 'nobody is evacuated', [])
      await nobodyIsHurt(world, [one, two])
    },
  },
  {
    name: '"its .spec.stage is set to Complete. The finalizer is not removed until the Complete stage has been completed"',
    run: async (world) => {
      await beginDrain(world)
      // Somebody else's finalizer makes what happens visible.
      const keeper = 'example.com/keeper'
      const { metadata } = (await lookAtMaintenance(world, 'upgrade')) ?? { metadata: {} }
      const finalizers = [...((metadata as { finalizers?: string[] }).finalizers ?? []), keeper]
      await world.arrange('PATCH', maintenancePath('upgrade'), { metadata: { finalizers } }, merge)
      await remove(world, 'upgrade')
      await becomes(world, 'it is completed', { maintenances: { upgrade: 'Complete, completed' } })
      await isAlready(world, 'then its nodes are back', { nodes: back })
      const seen = await lookAtMaintenance(world, 'upgrade')
      world.observe('finalizers', seen?.metadata.finalizers)
      world.observe('is being deleted', seen?.metadata.deletionTimestamp !== undefined)
      world.observe('Completed', conditionOf(seen, 'Completed'))
      await world.arrange('PATCH', maintenancePath('upgrade'), { metadata: { finalizers: null } }, merge)
      await becomes(world, 'it is gone', { maintenances: { upgrade: 'gone' } })
    },
  },
  {
    name: 'deleted when all is drained, and again when all is complete',
    run: async (world) => {
      await beginDrain(world)
      await takeAway(world, 'first')
      await takeAway(world, 'second')
      const line = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
      await becomes(world, 'it is drained', {
        nodes: { one: line, two: line },
        maintenances: { upgrade: 'Drain, held, drained: Drained; 2 of 2 nodes drained; 0 pending, 0 evacuating' },
      })
      await remove(world, 'upgrade')
      await becomes(world, 'all is as before', { nodes: back, maintenances: { upgrade: 'gone' } })
      // The same name again is another maintenance.
      await announce(world, 'upgrade', { nodes: ['one', 'two'], stage: 'Complete' })
      await becomes(world, 'there was nothing to do', { nodes: back, maintenances: { upgrade: 'Complete, completed' } })
      await remove(world, 'upgrade')
      await becomes(world, 'it is gone', { nodes: back, maintenances: { upgrade: 'gone' } })
    },
  },
]

const foreign = 'evacuation.coordination.k8s.io/instigator_drill.example.com'

async function finalizersOf(world: MaintenanceWorld, pod: PodKey): Promise<readonly string[] | undefined> {
  const seen = await look(world, pod)
  return seen === undefined ? undefined : (seen.metadata.finalizers ?? [])
}

/** The one that nobody else holds back is cancelled; the others go on. */
async function cancel(world: MaintenanceWorld, pods: Readonly<Record<'willing' | 'unwilling' | 'wanted', PodKey>>) {
  await world.eventually(
    'the evacuation that may be cancelled is',
    () => look(world, pods.willing),
    (seen) => seen === undefined,
  )
  await world.eventually(
    'the other instigator is left',
    () => finalizersOf(world, pods.wanted),
    (finalizers) => isDeepStrictEqual(finalizers, [foreign]),
  )
  await world.pass(2_000)
  for (const pod of [pods.unwilling, pods.wanted]) {
    const seen = await look(world, pod)
    if (seen === undefined || seen.metadata.deletionTimestamp !== undefined) throw new Error(`${pod.name} is cancelled`)
    world.observe(`${pod.name} goes on`, {
      active: seen.status.activeEvacuatorClass,
      policy: seen.status.evacuationCancellationPolicy,
      finalizers: seen.metadata.finalizers ?? [],
    })
  }
  await podsAre(world, 'all are still there', ['unwilling', 'wanted', 'willing'])
}

async function threeEvacuators(world: MaintenanceWorld) {
  await arrangeMachines(world, ['one'])
  const willing = await put(world, 'one', 'willing', { annotations: held })
  const unwilling = await put(world, 'one', 'unwilling', { annotations: held })
  const wanted = await put(world, 'one', 'wanted', { annotations: held })
  await announce(world, 'upgrade', { nodes: ['one'] })
  await areEvacuated(world, 'all are evacuated', ['willing', 'unwilling', 'wanted'])
  for (const pod of [willing, unwilling, wanted]) {
    await world.eventually(
      `${pod.name} has its evacuator`,
      async () => (await look(world, pod))?.status.activeEvacuatorClass,
      (active) => active !== undefined,
    )
  }
  await report(world, willing, { evacuationCancellationPolicy: 'Allow', message: 'can be put back' })
  await report(world, unwilling, { evacuationCancellationPolicy: 'Forbid', message: 'is half gone already' })
  const finalizers = [...((await finalizersOf(world, wanted)) ?? []), foreign]
  await world.arrange('PATCH', pathOf(wanted), { metadata: { finalizers } }, merge)
  return { willing, unwilling, wanted }
}

/** As it ends for those that cannot be cancelled: the evacuator takes the pod away, the evacuation is over. */
async function endTheRest(world: MaintenanceWorld): Promise<void> {
  await takeAway(world, 'unwilling')
  await takeAway(world, 'wanted')
  await world.eventually(
    'no Evacuation is left',
    () => evacuationsOf(world),
    (found) => found.length === 0,
  )
  await podsAre(world, 'the willing one stays', ['willing'])
}

const cancellations: readonly MaintenanceScenario[] = [
  {
    name: 'Complete in the middle: evacuations that allow it are cancelled, those under Forbid and of another instigator go on',
    run: async (world) => {
      const pods = await threeEvacuators(world)
      await moveTo(world, 'upgrade', 'Complete')
      await cancel(world, pods)
      await becomes(world, 'the node is back', {
        nodes: { one: 'schedulable' },
        maintenances: { upgrade: 'Complete, completed' },
      })
      await endTheRest(world)
    },
  },
  {
    name: 'deleted in the middle: the same',
    run: async (world) => {
      const pods = await threeEvacuators(world)
      await remove(world, 'upgrade')
      await cancel(world, pods)
      await becomes(world, 'the node is back', { nodes: { one: 'schedulable' }, maintenances: { upgrade: 'gone' } })
      await endTheRest(world)
    },
  },
  {
    name: 'Complete in the middle: evacuations stay where another draining maintenance covers the pod',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      const shared = await put(world, 'one', 'shared', { annotations: held })
      await put(world, 'two', 'alone', { annotations: held })
      await announce(world, 'upgrade', { nodes: ['one', 'two'] })
      await announce(world, 'other', { nodes: ['one'] })
      await areEvacuated(world, 'both are evacuated', ['alone', 'shared'])
      const before = await look(world, shared)
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'it is completed', { maintenances: { upgrade: 'Complete, completed' } })
      await isAlready(world, 'then its node is back', { nodes: { two: 'schedulable' } })
      await becomes(world, 'one node is back', {
        nodes: { one: 'cordoned by Lifeboat: Evacuating; 0 pending, 1 evacuating', two: 'schedulable' },
        maintenances: {
          upgrade: 'Complete, completed',
          other: 'Drain, held: Evacuating; 0 of 1 nodes drained; 0 pending, 1 evacuating',
        },
      })
      await areEvacuated(world, 'one is still evacuated', ['shared'])
      const after = await look(world, shared)
      world.observe('it is the same Evacuation', before?.metadata.uid === after?.metadata.uid)
      if (before?.metadata.uid !== after?.metadata.uid) throw new Error('the Evacuation was made anew')
      await moveTo(world, 'other', 'Complete')
      await becomes(world, 'the other too', { nodes: back, maintenances: { other: 'Complete, completed' } })
      await areEvacuated(world, 'nobody is evacuated', [])
      await podsAre(world, 'both stay', ['alone', 'shared'])
    },
  },
]

/** What anybody could have changed about it. */
async function portraitOf(world: MaintenanceWorld, path: string): Promise<unknown> {
  const { body } = await world.read(path)
  const { labels, annotations, finalizers, ownerReferences } = body['metadata'] as Record<string, unknown>
  return { labels, annotations, finalizers, ownerReferences, spec: body['spec'] }
}

/** Kubernetes itself still writes to a new node for a while: annotations, an address range. */
async function unlessChanging<T>(world: MaintenanceWorld, read: () => Promise<T>): Promise<T> {
  let before = await read()
  for (;;) {
    await world.pass(2_000)
    const after = await read()
    if (isDeepStrictEqual(after, before)) return after
    before = after
  }
}

const idle: readonly MaintenanceScenario[] = [
  {
    name: '"The controller should not touch the pods or nodes [...] in any way in the Idle stage"',
    run: async (world) => {
      await arrangeMachines(world, ['one'])
      await put(world, 'one', 'web')
      const portraits = async () => [
        await portraitOf(world, `/api/v1/nodes/NS-one`),
        await portraitOf(world, `${podsPath}/web`),
      ]
      const before = await unlessChanging(world, portraits)
      await announce(world, 'upgrade', { nodes: ['one'], stage: 'Idle' })
      await remains(world, 'nothing happens', {
        nodes: { one: 'schedulable' },
        maintenances: { upgrade: 'Idle' },
      })
      if (!isDeepStrictEqual(await portraits(), before)) throw new Error('something was touched')
      await areEvacuated(world, 'nobody is evacuated', [])
      const seen = await lookAtMaintenance(world, 'upgrade')
      world.observe('finalizers', seen?.metadata.finalizers ?? [])
      // The selection may still change, and the node it left is not touched either.
      await remove(world, 'upgrade')
      await becomes(world, 'it is gone', { maintenances: { upgrade: 'gone' } })
      if (!isDeepStrictEqual(await portraits(), before)) throw new Error('something was touched')
      world.observe('the node is untouched', (await lookAtNode(world, 'one')) !== undefined)
    },
  },
]

export const stageScenarios: readonly MaintenanceScenario[] = [
  { name: 'every supported transition, as it is announced and moved and deleted', run: allWays },
  ...idle,
  ...deletions,
  ...cancellations,
]
