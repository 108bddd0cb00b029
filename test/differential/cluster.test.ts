import { describe, expect, inject, test } from 'vitest'
import { autoscalerScenarios } from '../scenarios/autoscalers.ts'
import { budgetScenarios } from '../scenarios/budgets.ts'
import { customResourceScenarios } from '../scenarios/custom-resources.ts'
import { runScenario } from '../scenarios/run-scenario.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { workloadScenarios } from '../scenarios/workloads.ts'
import { embeddedCluster, realCluster } from './grounds.ts'

let count = 0

/** The real one is always right: a difference is a bug of the embedded one. */
async function compare(scenario: Scenario): Promise<void> {
  const namespace = `cluster-scenario-${++count}`
  await using real = await realCluster(inject('cluster'))
  await using embedded = await embeddedCluster()
  const observations = await runScenario(scenario, real, namespace)
  expect(await runScenario(scenario, embedded, namespace)).toEqual(observations)
}

describe('budgets', () => {
  test.concurrent.each(budgetScenarios)('$name', (scenario) => compare(scenario))
})

describe('workloads', () => {
  test.concurrent.each(workloadScenarios)('$name', (scenario) => compare(scenario))
})

describe('autoscalers', () => {
  test.concurrent.each(autoscalerScenarios)('$name', (scenario) => compare(scenario))
})

describe('our own kinds', () => {
  // Not at the same time: objects without a namespace have names that the rows share.
  test.each(customResourceScenarios)('$name', (scenario) => compare(scenario))
})
