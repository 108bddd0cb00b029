import { describe, test } from 'vitest'
import { endsTheSame } from './ends-the-same.ts'
import { cordonScenarios } from '../scenarios/maintenance-cordon.ts'
import { nodeScenarios } from '../scenarios/maintenance-nodes.ts'
import { stageScenarios } from '../scenarios/maintenance-stages.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'

// Lifeboat dies at every write it makes in a story about maintenances, at three moments each, and comes back knowing
// nothing: the story must end the same, with every pod, node and finalizer as it should be.

const kinds = ['evacuations', 'pods', 'nodes', 'nodemaintenances']
const scenarios = [...stageScenarios, ...cordonScenarios, ...nodeScenarios]

/** Declares the tests of these stories, by their names. */
export function testKilledMaintenances(killed: readonly string[]): void {
  describe('whenever Lifeboat dies, the maintenance ends the same', () => {
    test.each(killed)(
      '%s',
      async (name) => {
        const scenario = scenarios.find((each) => each.name === name)
        if (scenario === undefined) throw new Error(`there is no story ${name}`)
        await endsTheSame({ tell: (ground) => runMaintenanceScenario(scenario, ground, 'shop'), kinds, writesAbove: 3 })
      },
      300_000,
    )
  })
}
