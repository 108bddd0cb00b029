import { openCommandDoor } from '../build/command-door.ts'
import type { CommandScenario } from '../scenarios/drain-several.ts'
import { runMaintenanceScenario } from '../scenarios/run-maintenance-scenario.ts'
import type { SwitchedGround } from './lifeboat-grounds.ts'

/** Tells one story about commands of `lifeboat` to one ground and returns what it observed. */
export async function tellCommandStory(
  { name, run }: CommandScenario,
  ground: SwitchedGround,
  namespace: string,
): Promise<unknown[]> {
  await using door = await openCommandDoor(ground.transport)
  const command = (...words: readonly string[]) => door.run(words.map((word) => word.replaceAll('NS', namespace)))
  return await runMaintenanceScenario({ name, run: (world) => run({ ...world, command }) }, ground, namespace)
}
