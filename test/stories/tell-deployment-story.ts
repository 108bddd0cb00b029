import type { DeploymentWorld } from '../scenarios/deployment-world.ts'
import type { LifeboatSwitch } from '../scenarios/daemon-set-evacuation.ts'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import type { SwitchedGround } from './lifeboat-grounds.ts'

interface SwitchedStory {
  readonly name: string
  readonly run: (world: DeploymentWorld & { readonly lifeboat: LifeboatSwitch }) => Promise<void>
}

/** Tells one story about an application to one ground and returns what it observed. */
export function tellDeploymentStory(
  { name, run }: SwitchedStory,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  const { lifeboat } = ground
  return runDeploymentScenario({ name, run: (world) => run({ ...world, lifeboat }) }, ground, namespace)
}
