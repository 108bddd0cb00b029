import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openLifeboatGround } from '../build/lifeboat.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import { startLifeboat } from '../cluster/lifeboat.ts'
import type { Transport } from '../../src/kube/transport.ts'
import { evacuationScenarios } from '../scenarios/evacuations.ts'
import { evictionsCounted, runEvacuationScenario, type LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { unsyncedBudget } from '../scenarios/unsynced-budget.ts'

// Every story about evacuations, on the real cluster with `lifeboat run` beside it, and on the embedded one with the
// same managers in virtual time. What they observe must be the same.

async function openReal(cluster: { readonly kubeconfigPath: string }): Promise<LifeboatGround> {
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

async function openEmbedded(options: { readonly controllers?: boolean } = {}): Promise<LifeboatGround> {
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
  const { manager } = await ground.open({ wrap: counted })
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
