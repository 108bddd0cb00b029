import { describe, expect, test } from 'vitest'
import { killMomentsAt, neverKilled, type KillPoint } from './kill-points.ts'
import { openMortalLifeboat } from './mortal-lifeboat.ts'
import { cordonScenarios } from '../scenarios/maintenance-cordon.ts'
import { nodeScenarios } from '../scenarios/maintenance-nodes.ts'
import { stageScenarios } from '../scenarios/maintenance-stages.ts'
import { runMaintenanceScenario, type MaintenanceGround } from '../scenarios/run-maintenance-scenario.ts'

// Lifeboat dies at every write it makes in a story about maintenances, at three moments each, and comes back knowing
// nothing: the story must end the same, with every pod, node and finalizer as it should be.

const kinds = ['evacuations', 'pods', 'nodes', 'nodemaintenances']
const scenarios = [...stageScenarios, ...cordonScenarios, ...nodeScenarios]
const nobody = async () => {
  throw new Error('in these stories Lifeboat dies by itself')
}

async function tell(name: string, point: KillPoint) {
  const scenario = scenarios.find((each) => each.name === name)
  if (scenario === undefined) throw new Error(`there is no story ${name}`)
  const { ground, state } = await openMortalLifeboat(point, kinds)
  const told: MaintenanceGround = { ...ground, lifeboat: { kill: nobody, start: nobody, uninstall: nobody } }
  try {
    const observed = await runMaintenanceScenario(scenario, told, 'shop')
    return { at: ground.name, observed, state }
  } catch (error) {
    throw new Error(`${ground.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  } finally {
    await ground[Symbol.asyncDispose]()
  }
}

/** Declares the tests of these stories, by their names. */
export function testKilledMaintenances(killed: readonly string[]): void {
  describe('whenever Lifeboat dies, the maintenance ends the same', () => {
    test.each(killed)('%s', endsTheSame, 300_000)
  })
}

async function endsTheSame(name: string): Promise<void> {
  const alive = await tell(name, neverKilled)
  expect(alive.state.writes).toBeGreaterThan(3)
  for (let write = 1; write <= alive.state.writes; write++) {
    for (const moment of killMomentsAt(write)) {
      const { at, observed, state } = await tell(name, { write, moment })
      expect({ at, observed }).toEqual({ at, observed: alive.observed })
      expect(state.restarts).toBeLessThanOrEqual(1)
    }
  }
}
