import { startSampler } from './availability-sampler.ts'
import type { DeploymentScenario } from './deployment-world.ts'
import { runEvacuationScenario, started, type LifeboatGround } from './run-evacuation-scenario.ts'

export async function runDeploymentScenario(
  scenario: DeploymentScenario,
  ground: LifeboatGround,
  namespace: string,
): Promise<unknown[]> {
  const told = {
    name: scenario.name,
    run: async (world: Parameters<Parameters<typeof runEvacuationScenario>[0]['run']>[0]) => {
      const sampler = await started(ground, startSampler(ground.transport, namespace))
      try {
        await scenario.run({ ...world, sampler })
      } finally {
        await sampler.stop()
      }
    },
  }
  return runEvacuationScenario(told, ground, namespace)
}
