// The node agents of bench/agents.bench.ts, in a process of their own: each with its own watch, as on its own node.
import { setTimeout as pause } from 'node:timers/promises'
import { Agent } from '../src/agent/agent.ts'
import { ShutdownKeeper } from '../src/agent/shutdown/shutdown-keeper.ts'
import { leases } from '../src/api/kubernetes/resources.ts'
import { labels } from '../src/api/names.ts'
import { openConnection } from '../src/cli/connect/connection.ts'
import { adminClient } from '../src/cli/commands/run.ts'
import type { Kube } from '../src/kube/client/client.ts'
import { noKubeMetrics } from '../src/kube/metrics.ts'
import { installation } from '../src/manager/install/installation-names.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { manifestOf, MemoryFolder } from '../test/build/memory-folder.ts'
import { PlayedLogind } from '../test/build/played-logind.ts'
import { waitUntil } from './wait-until.ts'

const [kubeconfig = '', count = '0'] = process.argv.slice(2)
const total = Number(count)
/** A connection follows up to 1,024 watches where the server has no HTTP/2. */
const agentsPerConnection = 500
/** So that connections are not refused because too many come at once. */
const pace = { agents: 50, pauseMs: 500 }
const staticPods = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']

async function startAgents(first: number, signal: AbortSignal): Promise<Promise<void>[]> {
  const connection = await openConnection({ kubeconfig }, signal)
  const kube = adminClient(connection.transport)
  const running: Promise<void>[] = []
  for (let at = first; at < Math.min(first + agentsPerConnection, total); at++) {
    const node = `node-${at}`
    const manifests = new MemoryFolder(node)
    for (const name of staticPods) await manifests.write(`${name}.yaml`, manifestOf(name))
    const bootID = `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`
    const agent = new Agent({
      kube,
      clock: systemClock,
      random: systemRandom,
      log: silentLog,
      metrics: noKubeMetrics,
      namespace: installation.namespace,
      node,
      pod: { name: `lifeboat-agent-${at}`, uid: `40000000-0000-4000-8000-${String(at).padStart(12, '0')}` },
      bootID,
      manifests,
      shutdown: shutdownKeeper(bootID),
    })
    running.push(agent.run(signal))
    if (running.length % pace.agents === 0) await pause(pace.pauseMs)
  }
  return running
}

function shutdownKeeper(bootID: string): ShutdownKeeper {
  const logind = new PlayedLogind()
  const { lock, file } = logind
  const settings = { leadTimeMs: 3_600_000, budgetWantedMs: 1_800_000 }
  return new ShutdownKeeper({
    logind,
    lock,
    file,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    bootID,
    settings,
  })
}

async function missing(kube: Kube, signal: AbortSignal): Promise<string | undefined> {
  const { items } = await kube.list(leases, { labelSelector: labels.nodeAgent, signal })
  const adopted = items.filter(({ metadata }) => (metadata.ownerReferences ?? []).length > 0).length
  return adopted === total ? undefined : `${adopted} of ${total}`
}

const stop = new AbortController()
// Opened before the server is busy with all the others.
await using observer = await openConnection({ kubeconfig }, stop.signal)
const admin = adminClient(observer.transport)
const running: Promise<void>[] = []
for (let first = 0; first < total; first += agentsPerConnection) {
  running.push(...(await startAgents(first, stop.signal)))
}
await waitUntil({ what: 'Lifeboat has seen every mailbox', withinMs: 300_000, everyMs: 2_000 }, () =>
  missing(admin, stop.signal),
)
process.send?.('ready')
await new Promise((resolve) => process.once('disconnect', resolve))
stop.abort(new Error('the benchmark is over'))
await Promise.all(running)
process.exit()
