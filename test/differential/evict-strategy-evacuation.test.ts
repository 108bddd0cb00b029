import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { evictStrategyScenarios, type EvictStrategyScenario } from '../scenarios/evict-strategy-evacuation.ts'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import { openEmbedded, openReal, type SwitchedGround } from './switched-grounds.ts'

// Every story about evict strategies, on the real cluster with `lifeboat run` beside it, and on the embedded one with the
// same managers in virtual time. What they observe must be the same.

const tell = ({ name, run }: EvictStrategyScenario, ground: SwitchedGround, namespace: string) =>
  runDeploymentScenario({ name, run: (world) => run({ ...world, lifeboat: ground.lifeboat }) }, ground, namespace)

describe('evict strategies', () => {
  let real: SwitchedGround
  let count = 0
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  test.each(evictStrategyScenarios)('$name', async (scenario) => {
    const namespace = `paced-${++count}`
    await using embedded = await openEmbedded()
    const observed = await tell(scenario, embedded, namespace)
    expect(observed.length).toBeGreaterThan(0)
    expect(await tell(scenario, real, namespace)).toEqual(observed)
  })
})
