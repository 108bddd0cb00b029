import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { deploymentScenarios } from '../scenarios/deployment-evacuation.ts'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import type { LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { openEmbedded, openReal } from './lifeboat-grounds.ts'

// Every story about the evacuation of Deployments, on the real cluster with `lifeboat run` beside it, and on the embedded
// one. A sampler watches the pods and the endpoints of the Service all the while; what the stories observe is the same.

const timeoutMs = 300_000
let count = 0

describe('Deployments', () => {
  let real: LifeboatGround
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  test.each(deploymentScenarios)(
    '$name',
    async (scenario) => {
      const namespace = `deployment-${++count}`
      await using embedded = await openEmbedded()
      const observed = await runDeploymentScenario(scenario, embedded, namespace)
      expect(observed.length).toBeGreaterThan(0)
      if (scenario.virtualTimeOnly !== undefined) return
      expect(await runDeploymentScenario(scenario, real, namespace)).toEqual(observed)
    },
    timeoutMs,
  )
})
