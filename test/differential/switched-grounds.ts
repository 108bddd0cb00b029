import { setTimeout as pause } from 'node:timers/promises'
import type { Transport } from '../../src/kube/transport.ts'
import { install } from '../../src/manager/install.ts'
import { installation } from '../../src/manager/installation-names.ts'
import { uninstall } from '../../src/manager/uninstall.ts'
import { systemClock } from '../../src/runtime/system.ts'
import { buildKube } from '../build/kube.ts'
import { openLifeboatGround, type OpenedManager } from '../build/lifeboat.ts'
import { connectTransport } from '../cluster/connect.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import type { LifeboatSwitch } from '../scenarios/daemon-set-evacuation.ts'
import { startPlacementSampler, type PlacementSampler } from '../scenarios/placement-sampler.ts'
import { evictionsCounted, type LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'

// Clusters on which Lifeboat runs, is killed, and starts again: with `lifeboat run`, and with the same managers in
// virtual time.

export interface SwitchedGround extends LifeboatGround {
  readonly lifeboat: LifeboatSwitch
}

const { namespace: ownNamespace } = installation
const quiet = { namespace: ownNamespace, force: true, print: () => {} }
const argumentOf = (gatesOff: readonly string[]) =>
  gatesOff.length === 0 ? [] : ['--feature-gates', gatesOff.map((gate) => `${gate}=false`).join(',')]

export async function openReal(cluster: { readonly kubeconfigPath: string }): Promise<SwitchedGround> {
  const transport = await connectTransport(cluster)
  let running: LifeboatProcess | undefined = await startLifeboat(cluster.kubeconfigPath)
  return {
    name: 'the real cluster',
    transport,
    nowMs: () => Date.now(),
    pass: (milliseconds) => pause(milliseconds),
    evictionCalls: () => evictionsCounted(transport),
    lifeboat: {
      kill: async () => {
        await running?.end('SIGKILL')
        running = undefined
      },
      start: async (gatesOff = []) => {
        running = await startLifeboat(cluster.kubeconfigPath, argumentOf(gatesOff))
        await untilLeading(running)
      },
      uninstall: async () =>
        void (await uninstall({ kube: buildKube(transport, systemClock), clock: systemClock }, quiet)),
    },
    [Symbol.asyncDispose]: async () => {
      const code = await running?.end('SIGTERM')
      if (code !== 0) throw new Error(`lifeboat ended with ${code}`)
      await transport.close()
    },
  }
}

async function untilLeading({ url }: LifeboatProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const metrics = await (await fetch(`${url}/metrics`)).text()
    if (/^leader_election_master_status\S* 1$/m.test(metrics)) return
    await pause(100)
  }
  throw new Error('Lifeboat does not lead within a minute')
}

export async function openEmbedded(): Promise<SwitchedGround> {
  const ground = await openLifeboatGround()
  let count = 0
  let evictions = 0
  let running: OpenedManager | undefined
  const counted = (transport: Transport): Transport => ({
    request: (request) => {
      if (request.path.endsWith('/eviction')) evictions++
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
  const start = async (gatesOff: readonly string[] = []) => {
    // As `lifeboat run` does, wherever it is not installed.
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, ownNamespace))
    const gates = Object.fromEntries(gatesOff.map((gate) => [gate, false]))
    running = await ground.open({ gates, identity: `lifeboat-${++count}`, wrap: counted })
    await ground.until(running.manager.ready())
    while (!running.manager.isLeading()) await ground.pass(100)
  }
  await start()
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
    pass: (milliseconds) => ground.pass(milliseconds),
    evictionCalls: async () => evictions,
    lifeboat: {
      kill: async () => running?.kill(),
      start,
      uninstall: async () =>
        void (await ground.until(uninstall({ kube: ground.admin, clock: ground.clock }, quiet), 300_000)),
    },
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  }
}

/** A watch opens in time that passes. */
export async function samplePlacements(ground: SwitchedGround, namespace: string): Promise<PlacementSampler> {
  const state: { sampler?: PlacementSampler } = {}
  const starting = startPlacementSampler(ground.transport, namespace).then((sampler) => {
    state.sampler = sampler
    return sampler
  })
  for (let tries = 0; state.sampler === undefined && tries < 100; tries++) await ground.pass(10)
  return starting
}
