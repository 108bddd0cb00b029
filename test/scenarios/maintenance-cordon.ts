import { podsPath } from './lifeboat-world.ts'
import {
  announce,
  arrangeMachines,
  becomes,
  eventsAbout,
  isSaidOnce,
  lookAtNode,
  moveTo,
  podIs,
  podsAre,
  put,
  remains,
  remove,
  setUnschedulable,
  type MaintenanceScenario,
  type MaintenanceWorld,
  type Stage,
} from './maintenance-world.ts'

// KEP-4212: 'Cordon' and 'Uncordon (Complete)'.

/** Somebody makes the node schedulable, and it does not stay so. */
async function uncordonInVain(world: MaintenanceWorld, node: string): Promise<void> {
  await setUnschedulable(world, node, false)
  await world.eventually(
    `${node} is cordoned again`,
    () => lookAtNode(world, node),
    (seen) => seen?.spec.unschedulable === true,
  )
}

const reconciled: readonly MaintenanceScenario[] = [
  {
    name: '"the controller will set (and reconcile) .spec.Unschedulable to true on all nodes": new pods stay away until it is over, those that are there stay',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      await put(world, 'one', 'first')
      await announce(world, 'upgrade', { nodes: ['one', 'two'], stage: 'Cordon' })
      await becomes(world, 'all are cordoned', {
        nodes: { one: 'cordoned by Lifeboat', two: 'cordoned by Lifeboat' },
        maintenances: { upgrade: 'Cordon, held' },
      })
      await world.arrange('POST', podsPath, {
        metadata: { name: 'second', namespace: 'NS' },
        spec: { nodeSelector: { scenario: 'NS' }, containers: [{ name: 'main', image: 'web:1' }] },
      })
      await podIs(world, 'a new pod finds no node', 'second', ({ status }) =>
        (status?.conditions ?? []).some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable'),
      )
      await uncordonInVain(world, 'two')
      await podsAre(world, 'nobody leaves', ['first', 'second'])
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'all are back', {
        nodes: { one: 'schedulable', two: 'schedulable' },
        maintenances: { upgrade: 'Complete, completed' },
      })
      await podIs(world, 'it runs now', 'second', ({ status }) => status?.phase === 'Running')
      await setUnschedulable(world, 'one', true)
      await remains(world, 'what somebody does afterwards stays', { nodes: { one: 'cordoned', two: 'schedulable' } })
    },
  },
  {
    name: '"It should alert via events if [...] a race to change this field is detected": a fight of ten rounds is told once',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two'])
      await announce(world, 'upgrade', { nodes: ['one', 'two'], stage: 'Cordon' })
      const cordoned = { nodes: { one: 'cordoned by Lifeboat', two: 'cordoned by Lifeboat' } }
      await becomes(world, 'all are cordoned', cordoned)
      for (let round = 0; round < 10; round++) await uncordonInVain(world, 'one')
      await remains(world, 'they stay cordoned', cordoned)
      const told = await isSaidOnce(world, 'Node', 'one', 'CordonReverted')
      if (!told.message.includes('upgrade')) throw new Error(`the maintenance is not named: ${told.message}`)
      const also = await isSaidOnce(world, 'NodeMaintenance', 'upgrade', 'CordonReverted')
      if (!also.message.includes('one')) throw new Error(`the node is not named: ${also.message}`)
      const other = await eventsAbout(world, 'Node', 'two', 'CordonReverted')
      world.observe('events about the node that nobody fought over', other.length)
      await moveTo(world, 'upgrade', 'Complete')
      await becomes(world, 'all are back', { nodes: { one: 'schedulable', two: 'schedulable' } })
    },
  },
]

const before: readonly MaintenanceScenario[] = (['Cordon', 'Drain'] as const).flatMap((stage) => [
  {
    name: `a node that an admin cordoned before stays cordoned after ${stage} and Complete`,
    run: async (world) => {
      await cordonedBefore(world, stage, () => moveTo(world, 'upgrade', 'Complete'))
    },
  },
  {
    name: `a node that an admin cordoned before stays cordoned after ${stage} and deletion`,
    run: async (world) => {
      await cordonedBefore(world, stage, () => remove(world, 'upgrade'))
    },
  },
])

const linesIn = {
  Cordon: { marked: 'cordoned by Lifeboat', kept: 'kept cordoned' },
  Drain: {
    marked: 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating',
    kept: 'kept cordoned: Drained; 0 pending, 0 evacuating',
  },
}

async function cordonedBefore(world: MaintenanceWorld, stage: 'Cordon' | 'Drain', end: () => Promise<void>) {
  await arrangeMachines(world, ['one', 'two'])
  await setUnschedulable(world, 'one', true)
  await announce(world, 'upgrade', { nodes: ['one', 'two'], stage })
  await becomes(world, 'both are under maintenance', {
    nodes: { one: linesIn[stage].kept, two: linesIn[stage].marked },
  })
  await end()
  await remains(world, 'each is as it was before', { nodes: { one: 'cordoned', two: 'schedulable' } })
}

/** Two on one node: whoever ends first leaves it to the other. */
async function endInTurn(
  world: MaintenanceWorld,
  stages: Readonly<Record<'older' | 'younger', Stage>>,
  first: 'older' | 'younger',
): Promise<void> {
  const last = first === 'older' ? 'younger' : 'older'
  await arrangeMachines(world, ['shared', 'older', 'younger'])
  await announce(world, 'older', { nodes: ['shared', 'older'], stage: stages.older })
  await becomes(world, 'the older one holds its nodes', {
    nodes: { shared: lineIn(stages.older), older: lineIn(stages.older), younger: 'schedulable' },
  })
  await announce(world, 'younger', { nodes: ['shared', 'younger'], stage: stages.younger })
  await becomes(world, 'both hold their nodes', {
    nodes: {
      shared: lineIn(stages.older === 'Drain' || stages.younger === 'Drain' ? 'Drain' : 'Cordon'),
      older: lineIn(stages.older),
      younger: lineIn(stages.younger),
    },
  })
  await moveTo(world, first, 'Complete')
  await remains(world, `${first} ends, and leaves the shared node to the other`, {
    nodes: { shared: lineIn(stages[last]), [first]: 'schedulable', [last]: lineIn(stages[last]) },
    maintenances: { [first]: 'Complete, completed' },
  })
  await uncordonInVain(world, 'shared')
  await moveTo(world, last, 'Complete')
  await becomes(world, `${last} ends, and all nodes are back`, {
    nodes: { shared: 'schedulable', older: 'schedulable', younger: 'schedulable' },
    maintenances: { [last]: 'Complete, completed' },
  })
}

const lineIn = (stage: Stage) => (stage === 'Drain' ? linesIn.Drain.marked : linesIn.Cordon.marked)

const shared: readonly MaintenanceScenario[] = (['older', 'younger'] as const).flatMap((first) => [
  {
    name: `two maintenances on a node, both in Cordon, and the ${first} one ends first`,
    run: (world: MaintenanceWorld) => endInTurn(world, { older: 'Cordon', younger: 'Cordon' }, first),
  },
  {
    name: `two maintenances on a node, both in Drain, and the ${first} one ends first`,
    run: (world: MaintenanceWorld) => endInTurn(world, { older: 'Drain', younger: 'Drain' }, first),
  },
  {
    name: `two maintenances on a node, one in Cordon and one in Drain, and the ${first} one ends first`,
    run: (world: MaintenanceWorld) => endInTurn(world, { older: 'Cordon', younger: 'Drain' }, first),
  },
])

const uncordoned: readonly MaintenanceScenario[] = [
  {
    name: '"(Idle) -> Complete: Make a set of nodes schedulable", unless another maintenance holds them',
    run: async (world) => {
      await arrangeMachines(world, ['one', 'two', 'three'])
      for (const node of ['one', 'two', 'three']) await setUnschedulable(world, node, true)
      await announce(world, 'other', { nodes: ['two'], stage: 'Cordon' })
      await announce(world, 'upgrade', { nodes: ['one', 'two'], stage: 'Idle' })
      await becomes(world, 'nothing happens yet', {
        nodes: { one: 'cordoned', two: 'kept cordoned', three: 'cordoned' },
        maintenances: { upgrade: 'Idle' },
      })
      await moveTo(world, 'upgrade', 'Complete')
      await remains(world, 'what nobody holds is schedulable', {
        nodes: { one: 'schedulable', two: 'kept cordoned', three: 'cordoned' },
        maintenances: { upgrade: 'Complete, completed' },
      })
      await announce(world, 'again', { nodes: ['three'], stage: 'Complete' })
      await becomes(world, 'the same without Idle', {
        nodes: { three: 'schedulable' },
        maintenances: { again: 'Complete, completed' },
      })
      await setUnschedulable(world, 'one', true)
      await remains(world, 'it does so once', { nodes: { one: 'cordoned' } })
      await moveTo(world, 'other', 'Complete')
      await becomes(world, 'and what was cordoned before stays so', { nodes: { two: 'cordoned' } })
    },
  },
]

export const cordonScenarios: readonly MaintenanceScenario[] = [...reconciled, ...before, ...shared, ...uncordoned]
