import { rm } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { buildServer as build } from '../build/embedded-server.ts'
import { evictionScenarios } from '../scenarios/eviction.ts'
import { objectScenarios } from '../scenarios/objects.ts'
import { patchScenarios } from '../scenarios/patches.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import type { Ground, Scenario } from '../scenarios/scenario.ts'
import { embeddedApiServer, realApiServer } from './grounds.ts'
import { evictionMutations, plant } from './mutants.ts'

let real: Ground
beforeAll(async () => {
  real = await realApiServer()
})
afterAll(async () => {
  await real[Symbol.asyncDispose]()
})

let count = 0
/** What the real one said, for the mutants. */
const said = new Map<string, { namespace: string; observations: unknown[] }>()

/** The real one is always right: a difference is a bug of the embedded one. */
async function compare(scenario: Scenario): Promise<void> {
  const namespace = `scenario-${++count}`
  await using embedded = embeddedApiServer()
  const observations = await runScenario(scenario, real, namespace)
  said.set(scenario.name, { namespace, observations })
  expect(await runScenario(scenario, embedded, namespace)).toEqual(observations)
}

describe('eviction', () => {
  test.each(evictionScenarios)('$name', (scenario) => compare(scenario))

  test.each(evictionMutations)('a planted deviation is caught: $name', async (mutation) => {
    const copy = await plant(mutation, `eviction-${evictionMutations.indexOf(mutation)}`)
    try {
      const { buildServer } = (await import(`${copy}/test/build/embedded-server.ts`)) as { buildServer: typeof build }
      const differing: string[] = []
      for (const scenario of evictionScenarios) {
        const { namespace, observations } = said.get(scenario.name) ?? { namespace: '', observations: [] }
        const mutant = embeddedApiServer(buildServer)
        const seen = await runScenario(scenario, mutant, namespace).catch((error: unknown) => [String(error)])
        if (!isDeepStrictEqual(seen, observations)) differing.push(scenario.name)
      }
      expect(differing).not.toEqual([])
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  })
})

describe('patches', () => {
  test.each(patchScenarios)('$name', (scenario) => compare(scenario))
})

describe('objects', () => {
  test.each(objectScenarios)('$name', (scenario) => compare(scenario))
})
