import { setTimeout as pause } from 'node:timers/promises'
import type { Transport } from '../../src/kube/client/transport.ts'
import { defaultShutdownSettings } from '../../src/maintenance/shutdown/shutdown-settings.ts'
import { install } from '../../src/manager/install/install.ts'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import { uninstall } from '../../src/manager/install/uninstall.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { systemClock } from '../../src/runtime/system.ts'
import { impersonating } from '../build/impersonating.ts'
import { buildKube } from '../build/kube.ts'
import { openLifeboatGround, type OpenedManager } from '../build/lifeboat.ts'
import { watchChanges } from '../cluster/changes.ts'
import { startCluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import { countEvictions } from '../cluster/evictions.ts'
import { startLifeboat, type LifeboatProcess } from '../cluster/lifeboat.ts'
import type { LifeboatChoices, LifeboatSwitch } from '../scenarios/daemon-set-evacuation.ts'
import type { LifeboatGround } from '../scenarios/run-evacuation-scenario.ts'
import { openWebhookServer, serveWithin, type WebhookServer } from '../scenarios/webhook-server.ts'

// Clusters on which Lifeboat runs, is killed, and starts again: with `lifeboat run`, and with the same managers in
// virtual time.

export interface SwitchedGround extends LifeboatGround {
  readonly lifeboat: LifeboatSwitch
}

export interface HookedGround extends SwitchedGround {
  /** Where webhooks of a story are served. */
  openWebhooks(): Promise<WebhookServer>
}

export interface GroundWithAccount extends SwitchedGround {
  /** As Lifeboat's own account, whose requests skip its webhooks. */
  readonly ownTransport: Transport
}

export type EquippedGround = HookedGround & GroundWithAccount

const { namespace: ownNamespace, lease } = installation
/** That the next one waits until the Lease lapses is another story, and a long one: a kill takes it away. */
const leaseOfDead = {
  method: 'DELETE',
  path: `/apis/coordination.k8s.io/v1/namespaces/${ownNamespace}/leases/${lease}`,
} as const
const quiet = { namespace: ownNamespace, force: true, print: () => {} }
const ownUser = userOfServiceAccount(ownNamespace)
const argumentOf = (gatesOff: readonly string[]) =>
  gatesOff.length === 0 ? [] : ['--feature-gates', gatesOff.map((gate) => `${gate}=false`).join(',')]

/** One whose kube-controller-manager can be restarted, which others would notice. */
export interface ManagedGround extends EquippedGround {
  restartControllerManager(): Promise<void>
}

export async function openManagedReal(): Promise<ManagedGround> {
  const cluster = await startCluster()
  const ground = await openReal(cluster)
  return {
    ...ground,
    restartControllerManager: async () => {
      await cluster.stop('kube-controller-manager', 'SIGKILL')
      await cluster.start('kube-controller-manager')
    },
    [Symbol.asyncDispose]: async () => {
      await ground[Symbol.asyncDispose]()
      await cluster[Symbol.asyncDispose]()
    },
  }
}

export interface RealGroundCluster {
  readonly kubeconfigPath: string
  readonly etcdServer: string
  readonly folder: string
}

/** Lifeboat may reach the cluster by another kubeconfig than the stories do. */
export async function openReal(
  cluster: RealGroundCluster,
  ownKubeconfigPath: string = cluster.kubeconfigPath,
): Promise<EquippedGround> {
  const transport = await connectTransport(cluster)
  const changes = await watchChanges(cluster.etcdServer)
  let running: LifeboatProcess | undefined = await startLifeboat(ownKubeconfigPath)
  return {
    name: 'the real cluster',
    transport,
    ownTransport: impersonating(transport, ownUser),
    clock: systemClock,
    nowMs: () => Date.now(),
    pass: (milliseconds) => pause(milliseconds),
    isShared: true,
    changes,
    evictionCalls: (namespace) => countEvictions(cluster.folder, namespace),
    openWebhooks: () => openWebhookServer(),
    lifeboat: {
      kill: async () => {
        await running?.end('SIGKILL')
        running = undefined
        await transport.request(leaseOfDead)
      },
      start: async (gatesOff = [], choices = {}) => {
        const flags = choices.completeAfterReboot === true ? ['--complete-after-reboot'] : []
        running = await startLifeboat(ownKubeconfigPath, [...argumentOf(gatesOff), ...flags])
        await untilLeading(running)
      },
      uninstall: async () =>
        void (await uninstall({ kube: buildKube(transport, systemClock), clock: systemClock }, quiet)),
    },
    [Symbol.asyncDispose]: async () => {
      const code = await running?.end('SIGTERM')
      if (code !== 0) throw new Error(`lifeboat ended with ${code}`)
      await changes[Symbol.asyncDispose]()
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

export interface EmbeddedChoices {
  /** False: an API server by itself. */
  readonly controllers?: boolean
  readonly seed?: number
  /** What lies between Lifeboat and the cluster. */
  readonly wrap?: (transport: Transport, clock: Clock) => Transport
}

export async function openEmbedded(options: EmbeddedChoices = {}): Promise<ManagedGround> {
  const { wrap = (transport: Transport) => transport } = options
  const ground = await openLifeboatGround(options)
  const evictions: string[] = []
  const counted = (transport: Transport): Transport => ({
    request: (request) => {
      if (request.path.endsWith('/eviction')) evictions.push(request.path)
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  })
  let count = 0
  let running: OpenedManager | undefined
  const start = async (gatesOff: readonly string[] = [], { completeAfterReboot = false }: LifeboatChoices = {}) => {
    // As `lifeboat run` does, wherever it is not installed.
    await ground.until(install({ kube: ground.admin, clock: ground.clock }, ownNamespace))
    const gates = Object.fromEntries(gatesOff.map((gate) => [gate, false]))
    const between = (transport: Transport) => wrap(counted(transport), ground.clock)
    const shutdowns = { ...defaultShutdownSettings, completeAfterReboot }
    running = await ground.open({ gates, identity: `lifeboat-${++count}`, wrap: between, shutdowns })
    await ground.until(running.manager.ready())
    for (let tries = 0; !running.manager.isLeading(); tries++) {
      if (tries > 600) throw new Error('Lifeboat does not lead within a minute')
      await ground.pass(100)
    }
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
    clock: ground.clock,
    transport: counted(transport),
    ownTransport: counted(ground.cluster.transport({ name: ownUser, groups: ['system:authenticated'] })),
    nowMs: () => ground.clock.nowMs(),
    pass: (milliseconds) => ground.pass(milliseconds),
    openWebhooks: async () => serveWithin(ground.webhooks),
    restartControllerManager: () => ground.until(ground.cluster.restartControllerManager()),
    evictionCalls: async (namespace) => evictions.filter((path) => path.includes(`/namespaces/${namespace}/`)).length,
    lifeboat: {
      kill: async () => {
        running?.kill()
        await transport.request(leaseOfDead)
      },
      start,
      uninstall: async () =>
        void (await ground.until(uninstall({ kube: ground.admin, clock: ground.clock }, quiet), 300_000)),
    },
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  }
}
