import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { MaintenanceScenario } from '../scenarios/maintenance-world.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import { openEmbedded, openReal, type SwitchedGround } from './switched-grounds.ts'

const timeoutMs = 300_000

/** Every story on the real cluster with `lifeboat run` beside it, and on the embedded one: both must show the same. */
export function compareMaintenances(topic: string, scenarios: readonly MaintenanceScenario[]): void {
  describe(`maintenances: ${topic}`, () => {
    let real: SwitchedGround
    let count = 0
    beforeAll(async () => {
      real = await openReal(inject('cluster'))
    })
    afterAll(() => real[Symbol.asyncDispose]())

    test.each(scenarios)(
      '$name',
      async (scenario) => {
        const namespace = `maintenance-${topic}-${++count}`
        await using embedded = await openEmbedded()
        const observed = await runMaintenanceScenario(scenario, embedded, namespace)
        expect(observed.length).toBeGreaterThan(0)
        expect(await runMaintenanceScenario(scenario, real, namespace)).toEqual(observed)
      },
      timeoutMs,
    )
  })
}
