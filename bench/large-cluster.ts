// The large cluster of bench/descheduler.bench.ts, in a process of its own: nothing happens in it.
import { keyOf, type Stored, type Store } from '../src/embedded/server/store.ts'
import { buildBusyPod, podsOnNode } from './descheduler-objects.ts'
import { serveFilledCluster } from './filled-cluster.ts'
import { buildLargeNode } from './idle-objects.ts'

/** What the parent is told. */
export interface LargeClusterMessage {
  readonly kind: 'ready'
  readonly kubeconfigPath: string
}

const [nodeCount = 0, applicationCount = 1] = process.argv.slice(2).map(Number)

function fill(store: Store): void {
  const put = (resource: string, object: Stored) => store.put(resource, keyOf(object.metadata), object)
  let pods = 0
  for (let at = 0; at < nodeCount; at++) {
    put('nodes', buildLargeNode(at, Date.now()))
    for (let left = podsOnNode(at); left > 0; left--) put('pods', buildBusyPod(pods++, `node-${at}`, applicationCount))
  }
}

await using cluster = await serveFilledCluster('large', fill)
const { kubeconfigPath } = cluster
const ready: LargeClusterMessage = { kind: 'ready', kubeconfigPath }
process.send?.(ready)
await new Promise((resolve) => process.once('disconnect', resolve))
