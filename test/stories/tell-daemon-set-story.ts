import type { DaemonSetScenario } from '../scenarios/daemon-set-evacuation.ts'
import type { MaintenanceScenario } from '../scenarios/maintenance-world.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { samplePlacements, type SwitchedGround } from './lifeboat-grounds.ts'

/** Tells one story about DaemonSets to one ground and returns what it observed. */
export function tellDaemonSetStory(
  { name, run }: DaemonSetScenario,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  const told: MaintenanceScenario = {
    name,
    run: async (world) => {
      const placements = await samplePlacements(ground, namespace)
      try {
        await run({ ...world, placements })
      } finally {
        await placements.stop()
      }
    },
  }
  return runMaintenanceScenario(told, ground, namespace)
}
