import { once } from 'node:events'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildNode } from '../build/nodes-and-pods.ts'
import { BuildError } from './build.ts'
import { type Cluster, ClusterError, startCluster } from './cluster.ts'

// `make cluster`: a real Kubernetes on this machine until Ctrl-C.

const zones = ['europe-1a', 'europe-1b', 'europe-1c']
const nodesMax = 5_000

function parseNodeCount(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { nodes: { type: 'string', default: '5' } } })
  const count = Number(values.nodes)
  if (!Number.isInteger(count) || count < 0 || count > nodesMax) {
    throw new Error(`--nodes takes a number from 0 to ${nodesMax}, not ${values.nodes}`)
  }
  return count
}

function buildNodes(count: number) {
  return Array.from({ length: count }, (_, index) =>
    buildNode({ name: `node-${index + 1}`, zone: zones[index % zones.length] ?? '' }),
  )
}

/** kubectl wait would look at one node after the other, which takes minutes for hundreds. */
async function waitForNodes(cluster: Cluster, count: number): Promise<void> {
  const statuses = 'jsonpath={.items[*].status.conditions[?(@.type=="Ready")].status}'
  const signal = AbortSignal.timeout(60_000)
  for (let ready = 0; ready < count;) {
    await sleep(200, undefined, { signal })
    const printed = await cluster.kubectl(['get', 'nodes', '-o', statuses])
    ready = printed.split(' ').filter((status) => status === 'True').length
  }
}

async function runUntilInterrupted(nodeCount: number): Promise<void> {
  console.error('starting a cluster')
  await using cluster = await startCluster()
  // Listened to from here on; before, an interrupt ends us at once, and the watchdog what has been started.
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  if (nodeCount > 0) {
    const list = { apiVersion: 'v1', kind: 'List', items: buildNodes(nodeCount) }
    await cluster.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(list) })
    await waitForNodes(cluster, nodeCount)
  }
  console.log(`Kubernetes is up at ${cluster.server} with ${nodeCount} nodes, which kwok plays. In another terminal:

  export KUBECONFIG=${cluster.kubeconfigPath}
  export PATH="${dirname(cluster.kubectlPath)}:$PATH"
  kubectl get nodes

Its logs are in ${cluster.folder}; Ctrl-C ends it and removes them.`)
  // Nothing else keeps this process running.
  const alive = setInterval(() => {}, 60_000)
  await interrupted
  clearInterval(alive)
  console.error('stopping the cluster')
}

try {
  await runUntilInterrupted(parseNodeCount(process.argv.slice(2)))
} catch (error) {
  if (!(error instanceof BuildError || error instanceof ClusterError)) throw error
  console.error(error.message)
  process.exitCode = 1
}
