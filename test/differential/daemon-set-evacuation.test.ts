import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { daemonSetScenarios } from '../scenarios/daemon-set-evacuation.ts'
import { forgeryScenarios } from '../scenarios/daemon-set-forgery.ts'
import { unheldScenarios } from '../scenarios/daemon-set-unheld.ts'
import { openEmbedded, openReal, type SwitchedGround } from './switched-grounds.ts'
import { tellDaemonSetStory } from './tell-daemon-set-story.ts'

// Every story about DaemonSets, on the real cluster with `lifeboat run` beside it, and on the embedded one with the same
// managers in virtual time. What they observe must be the same.

/** A pod that came back without its hold stays for two minutes. */
const timeoutMs = 300_000

describe('DaemonSets', () => {
  let real: SwitchedGround
  let count = 0
  beforeAll(async () => {
    real = await openReal(inject('cluster'))
  })
  afterAll(() => real[Symbol.asyncDispose]())

  test.each([...daemonSetScenarios, ...unheldScenarios, ...forgeryScenarios])(
    '$name',
    async (scenario) => {
      const namespace = `daemons-${++count}`
      await using embedded = await openEmbedded()
      const observed = await tellDaemonSetStory(scenario, embedded, namespace)
      expect(observed.length).toBeGreaterThan(0)
      expect(await tellDaemonSetStory(scenario, real, namespace)).toEqual(observed)
    },
    timeoutMs,
  )
})
