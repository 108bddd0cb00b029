import { describe, test } from 'vitest'
import { endsTheSame } from './build/ends-the-same.ts'
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
      await endsTheSame({ tell: (ground) => runDeploymentScenario(scenario, ground, 'shop'), kinds, writesAbove: 3 })
    },
    300_000,
  )
})
