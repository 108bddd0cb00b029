import type { DaemonSetScenario } from '../scenarios/daemon-set-evacuation.ts'
import type { MaintenanceScenario } from '../scenarios/maintenance-world.ts'
import { startPlacementSampler } from '../scenarios/placement-sampler.ts'
import { started } from '../scenarios/run-evacuation-scenario.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import type { SwitchedGround } from './lifeboat-grounds.ts'

/** Tells one story about DaemonSets to one ground and returns what it observed. */
export function tellDaemonSetStory(
  { name, run }: DaemonSetScenario,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  const told: MaintenanceScenario = {
    name,
    run: async (world) => {
      const placements = await started(ground, startPlacementSampler(ground.transport, namespace))
      try {
        await run({ ...world, placements })
      } finally {
        await placements.stop()
      }
    },
  }
  return runMaintenanceScenario(told, ground, namespace)
}
