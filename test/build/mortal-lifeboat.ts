import type { Transport } from '../../src/kube/client/transport.ts'
import type { LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { killedAt, type KillPoint } from './kill-points.ts'
import { openLifeboatGround, type OpenedManager } from './lifeboat.ts'

const stepMs = 50

export interface MortalLifeboat {
  readonly ground: LifeboatGround
  /** Writes of the first Lifeboat that belong to the story, and how often another had to take over. */
  readonly state: { readonly writes: number; readonly restarts: number }
}

/**
 * The embedded cluster with a Lifeboat that dies at one of its writes to the given kinds, and another that takes over and
 * knows nothing. Its own Lease, events and reviews are written all the time, and are none of the story.
 */
export async function openMortalLifeboat(point: KillPoint, kinds: readonly string[]): Promise<MortalLifeboat> {
  const ofStory = new RegExp(`/(${kinds.join('|')})(/|$)`)
  const isStory = (path: string) =>
    ofStory.test(path) && !/\/(leases(?!\/lifeboat-agent-)|events|subjectaccessreviews)(\/|$)/.test(path)
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
    clock: ground.clock,
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
