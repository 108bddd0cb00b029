import {
  all,
  announce,
  arrangeMachines,
  arrangePriorities,
  becomes,
  eventsAbout,
  isSaidOnce,
  lookAtMaintenance,
  lookAtNode,
  moveTo,
  putMany,
  shows,
  statusOfNode,
  takeAwayMany,
  type Entry,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'

// KEP-4212, 'Pod Selection and DrainTargets Example': every block of it, in its order, with its numbers.

interface DrainStatus {
  readonly podsPendingEvacuation: number
  readonly podsEvacuating: number
  readonly drainMessage: string
  readonly reachedDrainTargets: readonly Entry[]
}

interface MaintenanceStatus {
  readonly podsPendingEvacuation: number
  readonly podsEvacuating: number
  readonly drainMessage: string
  readonly drainTargets: readonly Entry[]
}

interface Block {
  /** By the name of a NodeMaintenance: status.drainStatus. */
  readonly maintenances: Readonly<Record<string, DrainStatus>>
  /** By the name of a Node: status.maintenanceStatus. */
  readonly nodes: Readonly<Record<string, MaintenanceStatus>>
}

const upTo = (podPriority: number): Entry[] => [{ podPriority, podType: 'Default' }]
const daemonsUpTo = (podPriority: number): Entry => ({ podPriority, podType: 'DaemonSet' })

const plans = {
  'maintenance-a': [...upTo(5_000), ...upTo(15_000), daemonsUpTo(3_000)],
  'maintenance-b': [...upTo(10_000), ...upTo(15_000), daemonsUpTo(4_000)],
  'maintenance-c': [...upTo(2_000), ...upTo(15_000)],
}

async function seenLike(world: MaintenanceWorld, block: Block): Promise<Block> {
  const maintenances: Record<string, DrainStatus> = {}
  for (const name of Object.keys(block.maintenances)) {
    const { drainStatus } = (await lookAtMaintenance(world, name))?.status ?? {}
    const { podsPendingEvacuation = 0, podsEvacuating = 0, drainMessage = '' } = drainStatus ?? {}
    const reachedDrainTargets = drainStatus?.reachedDrainTargets ?? []
    maintenances[name] = { podsPendingEvacuation, podsEvacuating, drainMessage, reachedDrainTargets }
  }
  const nodes: Record<string, MaintenanceStatus> = {}
  for (const name of Object.keys(block.nodes)) {
    const node = await lookAtNode(world, name)
    const status = node === undefined ? undefined : statusOfNode(node)
    const { podsPendingEvacuation = 0, podsEvacuating = 0, drainMessage = '', drainTargets = [] } = status ?? {}
    nodes[name] = { podsPendingEvacuation, podsEvacuating, drainMessage, drainTargets }
  }
  return { maintenances, nodes }
}

async function showsBlock(world: MaintenanceWorld, what: string, block: Block): Promise<void> {
  const look = () => seenLike(world, block)
  await shows(world, what, look, block)
  // What waits goes on waiting.
  await world.pass(1_500)
  await shows(world, `${what}, still`, look, block)
}

const twoMaintenances: Block = {
  maintenances: {
    'maintenance-a': {
      podsPendingEvacuation: 130,
      podsEvacuating: 17,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(5_000),
    },
    'maintenance-b': {
      podsPendingEvacuation: 145,
      podsEvacuating: 35,
      drainMessage: 'Evacuating (limited by maintenance-a)',
      reachedDrainTargets: upTo(5_000),
    },
  },
  nodes: {
    one: { podsPendingEvacuation: 100, podsEvacuating: 10, drainMessage: 'Evacuating', drainTargets: upTo(5_000) },
    two: { podsPendingEvacuation: 30, podsEvacuating: 7, drainMessage: 'Evacuating', drainTargets: upTo(5_000) },
    three: { podsPendingEvacuation: 45, podsEvacuating: 25, drainMessage: 'Evacuating', drainTargets: upTo(10_000) },
  },
}

const threeIsDrained: Block = {
  maintenances: {
    'maintenance-b': {
      podsPendingEvacuation: 145,
      podsEvacuating: 5,
      drainMessage: 'Evacuating (limited by maintenance-a)',
      reachedDrainTargets: upTo(5_000),
    },
  },
  nodes: {
    three: {
      podsPendingEvacuation: 45,
      podsEvacuating: 0,
      drainMessage: 'Waiting for maintenance-a.',
      drainTargets: upTo(10_000),
    },
  },
}

const oneIsDrained: Block = {
  maintenances: {
    'maintenance-a': {
      podsPendingEvacuation: 130,
      podsEvacuating: 2,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(5_000),
    },
    'maintenance-b': {
      podsPendingEvacuation: 145,
      podsEvacuating: 0,
      drainMessage: 'Waiting for maintenance-a.',
      reachedDrainTargets: upTo(5_000),
    },
  },
  nodes: {
    one: {
      podsPendingEvacuation: 100,
      podsEvacuating: 0,
      drainMessage: 'Waiting for maintenance-a.',
      drainTargets: upTo(5_000),
    },
    two: { podsPendingEvacuation: 30, podsEvacuating: 2, drainMessage: 'Evacuating', drainTargets: upTo(5_000) },
    three: {
      podsPendingEvacuation: 45,
      podsEvacuating: 0,
      drainMessage: 'Waiting for maintenance-a.',
      drainTargets: upTo(10_000),
    },
  },
}

const twoIsDrained: Block = {
  maintenances: {
    'maintenance-a': {
      podsPendingEvacuation: 91,
      podsEvacuating: 39,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(10_000),
    },
    'maintenance-b': {
      podsPendingEvacuation: 115,
      podsEvacuating: 30,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(10_000),
    },
  },
  nodes: {
    one: {
      podsPendingEvacuation: 70,
      podsEvacuating: 30,
      drainMessage: 'Evacuating (limited by maintenance-b)',
      drainTargets: upTo(10_000),
    },
    two: { podsPendingEvacuation: 21, podsEvacuating: 9, drainMessage: 'Evacuating', drainTargets: upTo(15_000) },
    three: {
      podsPendingEvacuation: 45,
      podsEvacuating: 0,
      drainMessage: 'Waiting for maintenance-b.',
      drainTargets: upTo(10_000),
    },
  },
}

const threeMaintenances: Block = {
  maintenances: {
    'maintenance-c': {
      podsPendingEvacuation: 90,
      podsEvacuating: 35,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(2_000),
    },
  },
  nodes: {
    one: {
      podsPendingEvacuation: 70,
      podsEvacuating: 30,
      drainMessage: 'Evacuating (limited by maintenance-b, maintenance-c)',
      drainTargets: upTo(10_000),
    },
    four: { podsPendingEvacuation: 20, podsEvacuating: 5, drainMessage: 'Evacuating', drainTargets: upTo(2_000) },
  },
}

/** Not in the KEP: all have come to 15000, and node two has to wait for the rest of its maintenance. */
const allAtFifteenThousand: Block = {
  maintenances: {
    'maintenance-a': {
      podsPendingEvacuation: 21,
      podsEvacuating: 70,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(15_000),
    },
    'maintenance-b': {
      podsPendingEvacuation: 0,
      podsEvacuating: 115,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(15_000),
    },
    'maintenance-c': {
      podsPendingEvacuation: 0,
      podsEvacuating: 90,
      drainMessage: 'Evacuating',
      reachedDrainTargets: upTo(15_000),
    },
  },
  nodes: {
    one: { podsPendingEvacuation: 0, podsEvacuating: 70, drainMessage: 'Evacuating', drainTargets: upTo(15_000) },
    two: {
      podsPendingEvacuation: 21,
      podsEvacuating: 0,
      drainMessage: 'Waiting for maintenance-a.',
      drainTargets: upTo(15_000),
    },
    three: { podsPendingEvacuation: 0, podsEvacuating: 45, drainMessage: 'Evacuating', drainTargets: upTo(15_000) },
    four: { podsPendingEvacuation: 0, podsEvacuating: 20, drainMessage: 'Evacuating', drainTargets: upTo(15_000) },
  },
}

async function arrangeNodesOfTheExample(world: MaintenanceWorld): Promise<void> {
  await arrangePriorities(world, [2_000, 5_000, 10_000, 15_000, 20_000])
  await arrangeMachines(world, ['one', 'two', 'three', 'four'], { capacity: { pods: '200' } })
  await putMany(world, 'one', 5_000, 10)
  await putMany(world, 'one', 10_000, 30)
  await putMany(world, 'one', 15_000, 70)
  await putMany(world, 'two', 5_000, 7)
  await putMany(world, 'two', 15_000, 9)
  await putMany(world, 'two', 20_000, 21)
  await putMany(world, 'three', 10_000, 25)
  await putMany(world, 'three', 15_000, 45)
  await putMany(world, 'four', 2_000, 5)
  await putMany(world, 'four', 15_000, 20)
}

const begin = (world: MaintenanceWorld, name: keyof typeof plans, nodes: readonly string[]) =>
  announce(world, name, { nodes, drainPlan: plans[name] })

async function theExample(world: MaintenanceWorld): Promise<void> {
  await arrangeNodesOfTheExample(world)
  await begin(world, 'maintenance-a', ['one', 'two'])
  await begin(world, 'maintenance-b', ['one', 'three'])
  await showsBlock(world, 'the entry with the lowest priority in the drainPlan is resolved first', twoMaintenances)

  await takeAwayMany(world, 'three', 10_000, { to: 25 })
  await takeAwayMany(world, 'one', 5_000, { to: 5 })
  await showsBlock(world, 'the node three is drained, then it has to wait for the node one', threeIsDrained)

  await takeAwayMany(world, 'one', 5_000, { from: 5, to: 10 })
  await takeAwayMany(world, 'two', 5_000, { to: 5 })
  await showsBlock(world, 'the node one is drained, we still have to wait for the node two', oneIsDrained)

  await takeAwayMany(world, 'two', 5_000, { from: 5, to: 7 })
  await showsBlock(world, 'once the node two drains, we can increment the drainTargets', twoIsDrained)

  await begin(world, 'maintenance-c', ['one', 'four'])
  await showsBlock(world, 'the progress of the drain should not be backtracked', threeMaintenances)
  await showsBlock(world, 'the others are as they were', {
    maintenances: twoIsDrained.maintenances,
    nodes: { two: only(twoIsDrained, 'two'), three: only(twoIsDrained, 'three') },
  })
  const event = await isSaidOnce(world, 'NodeMaintenance', 'maintenance-c', 'FastForwarded')
  for (const older of ['maintenance-a', 'maintenance-b']) {
    if (!event.message.includes(older)) throw new Error(`${older} is not named: ${event.message}`)
    const about = await eventsAbout(world, 'NodeMaintenance', older, 'FastForwarded')
    if (about.length > 0) throw new Error(`${older} is said to be fast-forwarded: ${JSON.stringify(about)}`)
  }
  await theRest(world)
}

function only({ nodes }: Block, name: string): MaintenanceStatus {
  const found = nodes[name]
  if (found === undefined) throw new Error(`there is no node ${name} in the block`)
  return found
}

/** What is left after the last block leaves in the same order, and the maintenances end one after the other. */
async function theRest(world: MaintenanceWorld): Promise<void> {
  await takeAwayMany(world, 'one', 10_000, { to: 30 })
  await takeAwayMany(world, 'two', 15_000, { to: 9 })
  await takeAwayMany(world, 'four', 2_000, { to: 5 })
  await showsBlock(world, 'all have come to 15000', allAtFifteenThousand)
  await takeAwayMany(world, 'one', 15_000, { to: 70 })
  await takeAwayMany(world, 'three', 15_000, { to: 45 })
  await takeAwayMany(world, 'four', 15_000, { to: 20 })
  const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
  await becomes(world, 'only node two is left', {
    nodes: {
      one: drained,
      two: 'cordoned by Lifeboat: Evacuating; 0 pending, 21 evacuating',
      three: drained,
      four: drained,
    },
    maintenances: {
      'maintenance-a': 'Drain, held: Evacuating; 1 of 2 nodes drained; 0 pending, 21 evacuating',
      'maintenance-b': 'Drain, held, drained: Drained; 2 of 2 nodes drained; 0 pending, 0 evacuating',
      'maintenance-c': 'Drain, held, drained: Drained; 2 of 2 nodes drained; 0 pending, 0 evacuating',
    },
  })
  await takeAwayMany(world, 'two', 20_000, { to: 21 })
  await becomes(world, 'everything is drained', {
    nodes: { two: drained },
    maintenances: {
      'maintenance-a': 'Drain, held, drained: Drained; 2 of 2 nodes drained; 0 pending, 0 evacuating',
    },
  })
  for (const [podType, podPriority] of [
    ['Default', all],
    ['DaemonSet', all],
    ['Static', all],
  ] as const) {
    const status = statusOfNode((await lookAtNode(world, 'two')) ?? { metadata: { name: 'two' }, spec: {} })
    const reached = status?.drainTargets.find((target) => target.podType === podType)
    if (reached?.podPriority !== podPriority) throw new Error(`${podType} has come to ${reached?.podPriority}`)
  }
  await moveTo(world, 'maintenance-b', 'Complete')
  await becomes(world, 'one is still held by the others', {
    nodes: { one: drained, two: drained, three: 'schedulable', four: drained },
    maintenances: { 'maintenance-b': 'Complete, completed' },
  })
  await moveTo(world, 'maintenance-a', 'Complete')
  await moveTo(world, 'maintenance-c', 'Complete')
  await becomes(world, 'all nodes are back', {
    nodes: { one: 'schedulable', two: 'schedulable', three: 'schedulable', four: 'schedulable' },
    maintenances: { 'maintenance-a': 'Complete, completed', 'maintenance-c': 'Complete, completed' },
  })
}

export const walkScenarios: readonly MaintenanceScenario[] = [
  {
    name: 'maintenance-a, maintenance-b and maintenance-c: "for the intersecting nodes, the entry with the lowest priority in the drainPlan is resolved first"',
    run: theExample,
  },
]
