import type { LifeboatChoices, LifeboatSwitch } from './daemon-set-evacuation.ts'
import type { EvacuationWorld } from './lifeboat-world.ts'
import {
  maintenancesPath,
  marksOf,
  priorityClassesPath,
  type MaintenanceScenario,
  type NodeSeen,
} from './maintenance-world.ts'
import { startDepartures } from './departures.ts'
import { startReadinessSampler } from './readiness-sampler.ts'
import { runEvacuationScenario, started, type LifeboatGround } from './run-evacuation-scenario.ts'
import type { World } from './scenario.ts'
import { merge } from './workload-world.ts'

export interface MaintenanceGround extends LifeboatGround {
  readonly lifeboat: LifeboatSwitch
}

/** What a story leaves behind in no namespace is taken away, whatever became of it: the next one shares the cluster. */
export async function runMaintenanceScenario(
  { name, run }: MaintenanceScenario,
  ground: MaintenanceGround,
  namespace: string,
): Promise<unknown[]> {
  const lifeboat = new RememberedSwitch(ground)
  const samplers: { stop(): Promise<void> }[] = []
  const sampled = async <Sampler extends { stop(): Promise<void> }>(starting: Promise<Sampler>) => {
    const sampler = await started(ground, starting)
    samplers.push(sampler)
    return sampler
  }
  const sampleReadiness = () => sampled(startReadinessSampler(ground.transport, namespace))
  const sampleDepartures = () => sampled(startDepartures(ground.transport, namespace))
  const told = {
    name,
    run: async (world: EvacuationWorld) => {
      try {
        await run({ ...world, lifeboat, sampleReadiness, sampleDepartures })
      } catch (error) {
        await tidyUp(world, lifeboat).catch(() => {})
        throw error
      } finally {
        for (const sampler of samplers) await sampler.stop()
      }
      await tidyUp(world, lifeboat)
    },
  }
  return runEvacuationScenario(told, ground, namespace)
}

/** Knows whether it is on, with all that it can do. */
class RememberedSwitch implements LifeboatSwitch {
  readonly #lifeboat: LifeboatSwitch
  #isRunning = true
  #isWhole = true

  constructor(ground: MaintenanceGround) {
    this.#lifeboat = ground.lifeboat
  }

  async kill(): Promise<void> {
    this.#isRunning = false
    await this.#lifeboat.kill()
  }

  async start(gatesOff: readonly string[] = [], choices: LifeboatChoices = {}): Promise<void> {
    await this.#lifeboat.start(gatesOff, choices)
    this.#isRunning = true
    this.#isWhole = gatesOff.length === 0 && Object.keys(choices).length === 0
  }

  async uninstall(): Promise<void> {
    await this.#lifeboat.uninstall()
  }

  async makeWhole(): Promise<void> {
    if (this.#isRunning && this.#isWhole) return
    if (this.#isRunning) await this.kill()
    await this.start()
  }
}

async function tidyUp(world: World, lifeboat: RememberedSwitch): Promise<void> {
  await lifeboat.makeWhole()
  await removeMaintenances(world)
  const nodes = await ownNamesOf(world, '/api/v1/nodes')
  const marked = await markedAmong(world, nodes)
  const body = { gracePeriodSeconds: 0 }
  for (const name of await ownNamesOf(world, priorityClassesPath)) {
    await world.attempt('DELETE', `${priorityClassesPath}/${name}`, body)
  }
  for (const name of nodes) await world.attempt('DELETE', `/api/v1/nodes/${name}`, body)
  if (marked.length > 0) throw new Error(`nodes bear marks of maintenances that are gone: ${marked.join('; ')}`)
}

/** They go by themselves once they are completed; one that does not is a failure, and must not hold up the next story. */
async function removeMaintenances(world: World): Promise<void> {
  const removeAll = async () => {
    const left = await ownNamesOf(world, maintenancesPath)
    // Again and again: while Lifeboat takes over from one that died nobody admits it.
    for (const name of left) await world.attempt('DELETE', `${maintenancesPath}/${name}`, {})
    return left
  }
  try {
    await world.eventually('the maintenances go', removeAll, (left) => left.length === 0)
  } catch (error) {
    for (const name of await ownNamesOf(world, maintenancesPath)) {
      await world.arrange('PATCH', `${maintenancesPath}/${name}`, { metadata: { finalizers: null } }, merge)
    }
    throw error
  }
}

async function ownNamesOf(world: World, path: string): Promise<string[]> {
  const { body } = await world.read(path)
  const names = (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)
  // Maintenances for machines that go down bear the name of the node.
  return names.filter((name) => name.replace(/^shutdown-/, '').startsWith(`${world.namespace}-`))
}

async function markedAmong(world: World, names: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const name of names) {
    const { body } = await world.read(`/api/v1/nodes/${name}`)
    const marks = marksOf(body as unknown as NodeSeen)
    if (marks.length > 0) found.push(`${name}: ${marks.join(', ')}`)
  }
  return found
}
