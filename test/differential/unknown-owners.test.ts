import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runEvacuationScenario } from '../scenarios/run-evacuation-scenario.ts'
import { unknownOwnerScenarios } from '../scenarios/unknown-owners.ts'
import { openEmbedded, openReal, type SwitchedGround } from './switched-grounds.ts'

// Every story about owners that Lifeboat does not know, on both grounds. What they observe must be the same.

let real: SwitchedGround
let count = 0
beforeAll(async () => {
  real = await openReal(inject('cluster'))
})
afterAll(() => real[Symbol.asyncDispose]())

test.each(unknownOwnerScenarios)('$name', async (scenario) => {
  const namespace = `owners-${++count}`
  await using embedded = await openEmbedded()
  const observed = await runEvacuationScenario(scenario, embedded, namespace)
  expect(observed).toContainEqual({ what: 'untouched', value: true })
  expect(await runEvacuationScenario(scenario, real, namespace)).toEqual(observed)
})
