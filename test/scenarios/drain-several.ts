import { arrangeBudget, budgetsPath } from './lifeboat-world.ts'
import {
  arrangeMachines,
  becomes,
  podIs,
  put,
  remains,
  shows,
  type MaintenanceScenario,
  type MaintenanceWorld,
} from './maintenance-world.ts'
import { arrangeDaemons, daemonsAre } from './maintenance-workloads.ts'
import { isReady } from './workload-world.ts'

// `lifeboat drain A B C`, where a pod on A cannot leave.

export interface CommandWorld extends MaintenanceWorld {
  /** Runs a command of `lifeboat` to its end, which must be a good one, and returns what it printed. */
  command(...words: readonly string[]): Promise<readonly string[]>
}

export interface CommandScenario extends Pick<MaintenanceScenario, 'name' | 'ownCluster'> {
  readonly run: (world: CommandWorld) => Promise<void>
}

const drained = 'cordoned by Lifeboat: Drained; 0 pending, 0 evacuating'
const nodes = ['NS-a', 'NS-b', 'NS-c']

async function arrangeBlocked(world: CommandWorld): Promise<void> {
  await arrangeMachines(world, ['a', 'b', 'c'])
  await arrangeDaemons(world, ['logs'])
  await daemonsAre(world, 'they run', { a: 'logs', b: 'logs', c: 'logs' })
  for (const [node, name] of [
    ['a', 'web'],
    ['b', 'free'],
  ] as const) {
    await put(world, node, name, { labels: { app: name } })
    await podIs(world, `${name} runs`, name, isReady)
  }
  const numbers = { currentHealthy: 1, desiredHealthy: 1, disruptionsAllowed: 0, observedGeneration: 1 }
  await arrangeBudget(world, 'web', { minAvailable: 1 }, numbers)
}

/** The lines of `lifeboat status` about the drain: its name, its stage and its numbers, without ages. */
async function statusIs(world: CommandWorld, what: string, expected: string): Promise<void> {
  const look = async () => {
    const lines = (await world.command('status')).filter((line) => line.startsWith(`${world.namespace}-rack`))
    return lines.map((line) => line.split(/\s+/).slice(0, 6).join(' '))
  }
  await shows(world, what, look, [expected])
}

export const severalScenarios: readonly CommandScenario[] = [
  {
    name: '`lifeboat drain A B C` where a budget allows no pod of A to leave: B and C are drained, and it is shown as one drain',
    run: async (world) => {
      await arrangeBlocked(world)
      await world.command('drain', ...nodes, '--name', 'NS-rack', '--detach')
      await remains(world, 'the others are drained', {
        nodes: { a: 'cordoned by Lifeboat: Evacuating; 1 pending, 1 evacuating', b: drained, c: drained },
        maintenances: {
          'rack-NS-a': 'Drain, held: Evacuating; 0 of 1 nodes drained; 1 pending, 1 evacuating',
          'rack-NS-b': 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating',
          'rack-NS-c': 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating',
        },
      })
      await daemonsAre(world, 'those of the others left', { a: 'logs', b: '', c: '' })
      await statusIs(world, 'status has one line', 'rack Drain 3 2 1 1')
      await world.arrange('DELETE', `${budgetsPath}/web`)
      await becomes(world, 'all are drained', { nodes: { a: drained, b: drained, c: drained } })
      await statusIs(world, 'status has one line, still', 'rack Drain 3 3 0 0')
    },
  },
  {
    name: '`lifeboat drain A B C --together` in the same place: all nodes wait for A before the next entry of the plan',
    run: async (world) => {
      await arrangeBlocked(world)
      await world.command('drain', ...nodes, '--name', 'NS-rack', '--together', '--detach')
      const waiting = 'cordoned by Lifeboat: Waiting for rack.; 1 pending, 0 evacuating'
      await remains(world, 'the others wait', {
        nodes: { a: 'cordoned by Lifeboat: Evacuating; 1 pending, 1 evacuating', b: waiting, c: waiting },
        maintenances: { rack: 'Drain, held: Evacuating; 0 of 3 nodes drained; 3 pending, 1 evacuating' },
      })
      await daemonsAre(world, 'none left', { a: 'logs', b: 'logs', c: 'logs' })
      await statusIs(world, 'status', 'rack Drain 3 0 3 1')
      await world.arrange('DELETE', `${budgetsPath}/web`)
      await becomes(world, 'all are drained', { nodes: { a: drained, b: drained, c: drained } })
    },
  },
]
