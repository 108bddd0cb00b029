import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startCluster } from '../cluster/cluster.ts'
import { evacuationScenarios } from '../scenarios/evacuations.ts'
import { runEvacuationScenario, type LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { unsyncedBudget } from '../scenarios/unsynced-budget.ts'
import { openEmbedded, openReal } from './lifeboat-grounds.ts'

// Every story about evacuations, on the real cluster with `lifeboat run` beside it, and on the embedded one with the
// same managers in virtual time. What they observe must be the same.

let count = 0
const newNamespace = () => `evacuation-${++count}`

describe('evacuations', () => {
  let real: LifeboatGround
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  test.each(evacuationScenarios)('$name', async (scenario) => {
    const namespace = newNamespace()
    await using embedded = await openEmbedded()
    const observed = await runEvacuationScenario(scenario, embedded, namespace)
    expect(observed.length).toBeGreaterThan(0)
    if (scenario.virtualTimeOnly !== undefined) return
    expect(await runEvacuationScenario(scenario, real, namespace)).toEqual(observed)
  })
})

test('a budget that was never counted refuses, and is named; without it the pod goes', async () => {
  const namespace = newNamespace()
  await using cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
  await using real = await openReal(cluster)
  await using embedded = await openEmbedded({ controllers: false })
  const observed = await runEvacuationScenario(unsyncedBudget, real, namespace)
  expect(await runEvacuationScenario(unsyncedBudget, embedded, namespace)).toEqual(observed)
})
