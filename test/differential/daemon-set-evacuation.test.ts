import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { daemonSetScenarios, type DaemonSetScenario } from '../scenarios/daemon-set-evacuation.ts'
import type { MaintenanceScenario } from '../scenarios/maintenance-world.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { openEmbedded, openReal, samplePlacements, type SwitchedGround } from './switched-grounds.ts'

// Every story about DaemonSets, on the real cluster with `lifeboat run` beside it, and on the embedded one with the same
// managers in virtual time. What they observe must be the same.

function tell({ name, run }: DaemonSetScenario, ground: SwitchedGround, namespace: string): Promise<unknown[]> {
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

describe('DaemonSets', () => {
  let real: SwitchedGround
  let count = 0
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  test.each(daemonSetScenarios)('$name', async (scenario) => {
    const namespace = `daemons-${++count}`
    await using embedded = await openEmbedded()
    const observed = await tell(scenario, embedded, namespace)
    expect(observed.length).toBeGreaterThan(0)
    expect(await tell(scenario, real, namespace)).toEqual(observed)
  })
})
