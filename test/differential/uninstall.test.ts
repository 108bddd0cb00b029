import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { runDeploymentScenario } from '../scenarios/run-deployment-scenario.ts'
import { uninstallScenarios, type UninstallScenario } from '../scenarios/uninstall.ts'
import { openEmbedded, openReal, type SwitchedGround } from './switched-grounds.ts'

// Every story about an uninstall in the middle of something, on both grounds. What they observe must be the same.

const tell = ({ name, run }: UninstallScenario, ground: SwitchedGround, namespace: string) =>
  runDeploymentScenario({ name, run: (world) => run({ ...world, lifeboat: ground.lifeboat }) }, ground, namespace)

let real: SwitchedGround
let count = 0
beforeAll(async () => {
  real = await openReal(inject('cluster'))
})
afterAll(() => real[Symbol.asyncDispose]())

test.each(uninstallScenarios)('uninstalled, $name', async (scenario) => {
  const namespace = `uninstall-${++count}`
  await using embedded = await openEmbedded()
  const observed = await tell(scenario, embedded, namespace)
  expect(observed.length).toBeGreaterThan(0)
  expect(await tell(scenario, real, namespace)).toEqual(observed)
})
