import type { EvacuationScenario } from './lifeboat-world.ts'
import { runScenario } from './run-scenario.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import type { Ground } from './scenario.ts'

/** A cluster on which Lifeboat runs. */
export interface LifeboatGround extends Ground {
  /** For others that act beside Lifeboat. */
  readonly clock: Clock
  nowMs(): number
  /** How many evictions were asked for in this namespace, by whomever. */
  evictionCalls(namespace: string): Promise<number>
}

export async function runEvacuationScenario(
  scenario: EvacuationScenario,
  ground: LifeboatGround,
  namespace: string,
): Promise<unknown[]> {
  const told = {
    name: scenario.name,
    run: (world: Parameters<Parameters<typeof runScenario>[0]['run']>[0]) =>
      scenario.run({
        ...world,
        nowMs: () => ground.nowMs(),
        pass: (milliseconds) => ground.pass(milliseconds),
        evictionCalls: () => ground.evictionCalls(namespace),
      }),
  }
  return runScenario(told, ground, namespace)
}

/** A watch opens in time that passes. */
export async function started<Sampler>(ground: LifeboatGround, starting: Promise<Sampler>): Promise<Sampler> {
  const state = { isSettled: false }
  const note = () => void (state.isSettled = true)
  starting.then(note, note)
  for (let tries = 0; !state.isSettled && tries < 100; tries++) await ground.pass(10)
  return starting
}
