import { describe, expect, test } from 'vitest'
import type { Transport } from '../src/kube/transport.ts'
import { killedAt, killMoments, type KillPoint } from './build/kill-points.ts'
import { openLifeboatGround, type OpenedManager } from './build/lifeboat.ts'
import { deploymentScenarios } from './scenarios/deployment-evacuation.ts'
import { runDeploymentScenario } from './scenarios/run-deployment-scenario.ts'
import type { LifeboatGround } from './scenarios/run-evacuation-scenario.ts'

// Lifeboat dies at every write it makes in a story, at three moments each, and comes back knowing nothing. The story must
// end the same, and its sampler must see what it asks for all the while.

const stepMs = 50

/** The Lease, events and reviews are written all the time, and are none of the story. */
const isStory = (path: string) =>
  /\/(evacuations|pods)(\/|$)/.test(path) && !/\/(leases|events|subjectaccessreviews)(\/|$)/.test(path)

async function openMortal(point: KillPoint) {
  const ground = await openLifeboatGround()
  const state = { writes: 0, restarts: 0, isDead: false, hasBegun: false }
  const first = (transport: Transport): Transport => {
    const mortal = killedAt(transport, point, () => void (state.isDead = true))
    return {
      request: (request) => {
        if (!state.hasBegun || !isStory(request.path)) return transport.request(request)
        if (request.method !== 'GET') state.writes++
        return mortal.request(request)
      },
      watch: (request) => mortal.watch(request),
      close: () => transport.close(),
    }
  }
  let opened: OpenedManager = await ground.open({ wrap: first })
  await ground.until(opened.manager.ready())
  state.hasBegun = true
  const restartIfDead = async () => {
    if (!state.isDead) return
    state.isDead = false
    state.restarts++
    opened.kill()
    opened = await ground.open({ identity: `lifeboat-${state.restarts}` })
    // Whoever waits for the Lease of one that died waits until it lapses.
    await ground.until(opened.manager.ready())
  }
  const told: LifeboatGround = {
    name: `the embedded cluster, where Lifeboat dies at write ${point.write}, ${point.moment}`,
    transport: {
      request: (request) => ground.until(ground.adminTransport.request(request)),
      watch: (request) => ground.adminTransport.watch(request),
      close: () => ground.adminTransport.close(),
    },
    nowMs: () => ground.clock.nowMs(),
    pass: async (milliseconds) => {
      for (let leftMs = milliseconds; leftMs > 0; leftMs -= stepMs) {
        await ground.clock.advance(Math.min(stepMs, leftMs))
        await restartIfDead()
      }
    },
    evictionCalls: async () => 0,
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  }
  return { ground: told, state }
}

const never: KillPoint = { write: Number.POSITIVE_INFINITY, moment: 'before' }
const killed = [
  'one replica under minAvailable 1',
  'while a pod is released, the Deployment is deleted',
  'cancelled while the replacement is pending',
  'a replacement that a ResourceQuota refuses',
  'cancelled when the replacement is ready and only a budget keeps the pod',
]

describe('whenever Lifeboat dies, the story ends the same', () => {
  test.each(killed)(
    '%s',
    async (name) => {
      const scenario = deploymentScenarios.find((each) => each.name === name)
      if (scenario === undefined) throw new Error(`there is no story ${name}`)
      const alive = await openMortal(never)
      const expected = await runDeploymentScenario(scenario, alive.ground, 'shop')
      await alive.ground[Symbol.asyncDispose]()
      expect(alive.state.writes).toBeGreaterThan(3)
      for (let write = 1; write <= alive.state.writes; write++) {
        for (const moment of killMoments) {
          const { ground, state } = await openMortal({ write, moment })
          const observed = await runDeploymentScenario(scenario, ground, 'shop')
          expect({ at: ground.name, observed }).toEqual({ at: ground.name, observed: expected })
          expect(state.restarts).toBeLessThanOrEqual(1)
          await ground[Symbol.asyncDispose]()
        }
      }
    },
    300_000,
  )
})
