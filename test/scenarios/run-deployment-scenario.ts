import { startSampler, type Sampler } from './availability-sampler.ts'
import type { DeploymentScenario } from './deployment-world.ts'
import { runEvacuationScenario, type LifeboatGround } from './run-evacuation-scenario.ts'

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

/** A watch opens in time that passes. */
async function started(ground: LifeboatGround, starting: Promise<Sampler>): Promise<Sampler> {
  const state: { sampler?: Sampler } = {}
  const noting = starting.then((sampler) => {
    state.sampler = sampler
    return sampler
  })
  for (let tries = 0; state.sampler === undefined && tries < 100; tries++) await ground.pass(10)
  return noting
}
