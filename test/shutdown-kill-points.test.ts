import { describe, expect, test } from 'vitest'
import { killMoments, neverKilled, type KillPoint } from './build/kill-points.ts'
import { openMortalLifeboat } from './build/mortal-lifeboat.ts'
import {
  becomes,
  arrangeMachines,
  held,
  put,
  takeAway,
  type MaintenanceScenario,
} from './scenarios/maintenance-world.ts'
import { runMaintenanceScenario, type MaintenanceGround } from './scenarios/run-maintenance-scenario.ts'
import { isTold, nodeSays, say, shutdownIs } from './scenarios/shutdown-world.ts'

// Lifeboat dies at every write it makes while a machine goes down and comes back, at three moments each, and starts again
// knowing nothing: the story must end the same.

const kinds = ['evacuations', 'pods', 'nodes', 'nodemaintenances', 'leases']
const drained = 'Drain, held, drained: Drained; 1 of 1 nodes drained; 0 pending, 0 evacuating'
const nobody = async () => {
  throw new Error('in this story Lifeboat dies by itself')
}

const story: MaintenanceScenario = {
  name: 'two shutdowns, the second one cancelled',
  run: async (world) => {
    await arrangeMachines(world, ['one'])
    await put(world, 'one', 'web', { annotations: held })
    await say(world, 'one', { going: { id: 'first' } })
    await shutdownIs(
      world,
      'it is drained',
      'one',
      'Drain, held: Evacuating; 0 of 1 nodes drained; 0 pending, 1 evacuating',
    )
    await takeAway(world, 'web')
    await isTold(world, 'it may go on', 'one', 'first')
    await shutdownIs(world, 'the node is drained', 'one', drained)
    await nodeSays(world, 'the machine goes down', 'one', 'True')
    await say(world, 'one', { bootID: 'boot-2' })
    await isTold(world, 'it is back', 'one', 'nothing')
    await nodeSays(world, 'the machine is up', 'one', 'False')
    await say(world, 'one', { bootID: 'boot-2', going: { id: 'second' } })
    await isTold(world, 'it may go on again', 'one', 'second')
    await say(world, 'one', { bootID: 'boot-2' })
    await shutdownIs(world, 'it is cancelled', 'one', 'Complete, completed')
    await isTold(world, 'nothing may go on', 'one', 'nothing')
    await nodeSays(world, 'the machine stays up', 'one', 'False')
    await becomes(world, 'the node is back', { nodes: { one: 'schedulable' } })
  },
}

async function tell(point: KillPoint) {
  const { ground, state } = await openMortalLifeboat(point, kinds)
  const told: MaintenanceGround = { ...ground, lifeboat: { kill: nobody, start: nobody, uninstall: nobody } }
  try {
    return { at: ground.name, observed: await runMaintenanceScenario(story, told, 'shop'), state }
  } catch (error) {
    throw new Error(`${ground.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await ground[Symbol.asyncDispose]()
  }
}

describe('whenever Lifeboat dies, a shutdown ends the same', () => {
  test('two shutdowns, the second one cancelled', async () => {
    const alive = await tell(neverKilled)
    expect(alive.state.writes).toBeGreaterThan(10)
    for (let write = 1; write <= alive.state.writes; write++) {
      for (const moment of killMoments) {
        const { at, observed, state } = await tell({ write, moment })
        expect({ at, observed }).toEqual({ at, observed: alive.observed })
        expect(state.restarts).toBeLessThanOrEqual(1)
      }
    }
  }, 300_000)
})
