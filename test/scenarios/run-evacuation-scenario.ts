import type { Transport } from '../../src/kube/transport.ts'
import type { EvacuationScenario } from './lifeboat-world.ts'
import { runScenario } from './run-scenario.ts'
import type { Ground } from './scenario.ts'

/** A cluster on which Lifeboat runs. */
export interface LifeboatGround extends Ground {
  nowMs(): number
  evictionCalls(): Promise<number>
}

export async function runEvacuationScenario(
  scenario: EvacuationScenario,
  ground: LifeboatGround,
  namespace: string,
): Promise<unknown[]> {
  const before = await ground.evictionCalls()
  const told = {
    name: scenario.name,
    run: (world: Parameters<Parameters<typeof runScenario>[0]['run']>[0]) =>
      scenario.run({
        ...world,
        nowMs: () => ground.nowMs(),
        pass: (milliseconds) => ground.pass(milliseconds),
        evictionCalls: async () => (await ground.evictionCalls()) - before,
      }),
  }
  return runScenario(told, ground, namespace)
}

/** As the API server itself counts them. */
export async function evictionsCounted(transport: Transport): Promise<number> {
  const { body } = await transport.request({ method: 'GET', path: '/metrics' })
  const lines = String(body).matchAll(/^apiserver_request_total\{[^}]*subresource="eviction"[^}]*\} (\S+)$/gm)
  return Array.from(lines, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0)
}
