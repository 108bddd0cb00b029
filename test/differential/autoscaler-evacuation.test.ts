import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { autoscalerRestarts, autoscalerScenarios, type AutoscalerScenario } from '../scenarios/autoscaler-evacuation.ts'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import { openEmbedded, openReal, type SwitchedGround } from './switched-grounds.ts'

// Every story about autoscalers, on the real cluster with `lifeboat run` beside it, and on the embedded one with the
// same managers in virtual time. What they observe must be the same.

const tell = ({ name, run }: AutoscalerScenario, ground: SwitchedGround, namespace: string) =>
  runDeploymentScenario({ name, run: (world) => run({ ...world, lifeboat: ground.lifeboat }) }, ground, namespace)

describe('autoscalers', () => {
  let real: SwitchedGround
  let count = 0
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  const compare = async (scenario: AutoscalerScenario) => {
    const namespace = `autoscaled-${++count}`
    await using embedded = await openEmbedded()
    const observed = await tell(scenario, embedded, namespace)
    expect(observed.length).toBeGreaterThan(0)
    expect(await tell(scenario, real, namespace)).toEqual(observed)
  }

  // Each has nodes of its own, and most of it is waiting.
  test.concurrent.each(autoscalerScenarios)('$name', compare)
  test.each(autoscalerRestarts)('$name', compare)
})
