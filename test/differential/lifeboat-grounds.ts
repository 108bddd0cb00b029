import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import { openLifeboatGround } from '../build/lifeboat.ts'
import { connectTransport } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import type { Transport } from '../../src/kube/transport.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { evictionsCounted, type LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'

// Clusters on which Lifeboat runs: the real one with `lifeboat run` beside it, the embedded one with the same managers
// in virtual time.

export async function openReal(cluster: { readonly kubeconfigPath: string }): Promise<LifeboatGround> {
  const lifeboat = await startLifeboat(cluster.kubeconfigPath)
  const transport = await connectTransport(cluster)
  return {
    name: 'the real cluster',
    transport,
    nowMs: () => Date.now(),
    pass: (milliseconds) => pause(milliseconds),
    evictionCalls: () => evictionsCounted(transport),
    [Symbol.asyncDispose]: async () => {
      expect(await lifeboat.end('SIGTERM')).toBe(0)
      await transport.close()
    },
  }
}

export interface EmbeddedChoices {
  /** False: an API server by itself. */
  readonly controllers?: boolean
  readonly seed?: number
  /** What lies between Lifeboat and the cluster. */
  readonly wrap?: (transport: Transport, clock: Clock) => Transport
}

export async function openEmbedded(options: EmbeddedChoices = {}): Promise<LifeboatGround> {
  const { wrap = (transport: Transport) => transport } = options
  let evictions = 0
  const counted = (transport: Transport): Transport => ({
    request: (request) => {
      if (request.path.endsWith('/eviction')) evictions++
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
  const ground = await openLifeboatGround(options)
  const { manager } = await ground.open({ wrap: (transport) => wrap(counted(transport), ground.clock) })
  await ground.until(manager.ready())
  const transport: Transport = {
    // A webhook may wait for something: time must go on while somebody waits for it.
    request: (request) => ground.until(ground.adminTransport.request(request)),
    watch: (request) => ground.adminTransport.watch(request),
    close: () => ground.adminTransport.close(),
  }
  return {
    name: 'the embedded cluster',
    transport: counted(transport),
    nowMs: () => ground.clock.nowMs(),
    pass: (milliseconds) => ground.clock.advance(milliseconds),
    evictionCalls: async () => evictions,
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  }
}
