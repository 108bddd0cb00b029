import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import type { LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { statefulSetScenarios } from '../scenarios/stateful-set-evacuation.ts'
import { openEmbedded, openReal } from './lifeboat-grounds.ts'

// Every story about StatefulSets, on the real cluster with `lifeboat run` beside it, and on the embedded one with the
// same managers in virtual time. What they observe must be the same.

describe('StatefulSets', () => {
  let real: LifeboatGround
  let count = 0
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  // Each has nodes of its own, and most of it is waiting.
  test.concurrent.each(statefulSetScenarios)('$name', async (scenario) => {
    const namespace = `stateful-${++count}`
    await using embedded = await openEmbedded()
    const observed = await runDeploymentScenario(scenario, embedded, namespace)
    expect(observed.length).toBeGreaterThan(0)
    expect(await runDeploymentScenario(scenario, real, namespace)).toEqual(observed)
  })
})
