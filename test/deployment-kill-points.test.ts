import { describe, expect, test } from 'vitest'
import { killMomentsAt, neverKilled } from './build/kill-points.ts'
import { openMortalLifeboat } from './build/mortal-lifeboat.ts'
import { deploymentScenarios } from './scenarios/deployment-evacuation.ts'
import { runDeploymentScenario } from './scenarios/run-deployment-scenario.ts'

// Lifeboat dies at every write it makes in a story, at three moments each, and comes back knowing nothing. The story must
// end the same, and its sampler must see what it asks for all the while.

const kinds = ['evacuations', 'pods']
const killed = [
  'one replica under minAvailable 1',
  'while a pod is released, the Deployment is deleted',
  'cancelled while the replacement is pending',
  'a replacement that a ResourceQuota refuses',
  'cancelled when the replacement is ready and only a budget keeps the pod',
]

describe('whenever Lifeboat dies, the story ends the same', () => {
  test.each(killed)(
    '%s',
    async (name) => {
      const scenario = deploymentScenarios.find((each) => each.name === name)
      if (scenario === undefined) throw new Error(`there is no story ${name}`)
      const alive = await openMortalLifeboat(neverKilled, kinds)
      const expected = await runDeploymentScenario(scenario, alive.ground, 'shop')
      await alive.ground[Symbol.asyncDispose]()
      expect(alive.state.writes).toBeGreaterThan(3)
      for (let write = 1; write <= alive.state.writes; write++) {
        for (const moment of killMomentsAt(write)) {
          const { ground, state } = await openMortalLifeboat({ write, moment }, kinds)
          const observed = await runDeploymentScenario(scenario, ground, 'shop')
          expect({ at: ground.name, observed }).toEqual({ at: ground.name, observed: expected })
          expect(state.restarts).toBeLessThanOrEqual(1)
          await ground[Symbol.asyncDispose]()
        }
      }
    },
    300_000,
  )
})
