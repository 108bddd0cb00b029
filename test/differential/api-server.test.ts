import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { evictionScenarios } from '../scenarios/eviction.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import type { Ground, Scenario } from '../scenarios/scenario.ts'
import { embeddedApiServer, realApiServer } from './grounds.ts'

let real: Ground
beforeAll(async () => {
  real = await realApiServer()
})
afterAll(async () => {
  await real[Symbol.asyncDispose]()
})

let count = 0

/** The real one is always right: a difference is a bug of the embedded one. */
async function compare(scenario: Scenario): Promise<void> {
  const namespace = `scenario-${++count}`
  await using embedded = embeddedApiServer()
  const expected = await runScenario(scenario, real, namespace)
  expect(await runScenario(scenario, embedded, namespace)).toEqual(expected)
}

describe('eviction', () => {
  test.each(evictionScenarios)('$name', (scenario) => compare(scenario))
})
