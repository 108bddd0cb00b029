import { describe, expect, test } from 'vitest'
import { seededRandom } from '../src/runtime/random.ts'
import { slowTransport } from './build/slow-transport.ts'
import { openEmbedded } from './stories/lifeboat-grounds.ts'
import { deploymentScenarios } from './scenarios/deployment-evacuation.ts'
import { runDeploymentScenario } from './scenarios/run-deployment-scenario.ts'

// The stories that test/stories tells, over a network that delays what Lifeboat sees.

const timeoutMs = 60_000
const slowness = { requestMaxMs: 100, watchMaxMs: 400 }

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
