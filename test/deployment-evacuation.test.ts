import { describe, expect, test } from 'vitest'
import { seededRandom } from '../src/runtime/random.ts'
import { slowTransport } from './build/slow-transport.ts'
import { openEmbedded } from './differential/lifeboat-grounds.ts'
import { deploymentScenarios } from './scenarios/deployment-evacuation.ts'
import { runDeploymentScenario } from './scenarios/run-deployment-scenario.ts'

// The stories that test/differential tells to both grounds, on the embedded one: in virtual time they take moments.

const timeoutMs = 60_000
const slowness = { requestMaxMs: 100, watchMaxMs: 400 }

describe('as fast as it gets', () => {
  test.each(deploymentScenarios)(
    '$name',
    async (scenario) => {
      await using ground = await openEmbedded()
      expect((await runDeploymentScenario(scenario, ground, 'shop')).length).toBeGreaterThan(0)
    },
    timeoutMs,
  )
})

describe('where Lifeboat sees everything late, and some things later than others', () => {
  test.each(deploymentScenarios)(
    '$name',
    async (scenario) => {
      await using ground = await openEmbedded({
        wrap: (transport, clock) => slowTransport(transport, { clock, random: seededRandom(1), slowness }),
      })
      expect((await runDeploymentScenario(scenario, ground, 'shop')).length).toBeGreaterThan(0)
    },
    timeoutMs,
  )
})
