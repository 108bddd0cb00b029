// The large cluster of bench/descheduler.bench.ts, in a process of its own: nothing happens in it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInAdmission } from '../src/embedded/admission/built-in-admission.ts'
import { openEmbeddedCluster } from '../src/embedded/cluster.ts'
import { serveCluster } from '../src/embedded/http/serve-cluster.ts'
import { keyOf, type AnyObject, type Store } from '../src/embedded/store.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemClock, systemRandom } from '../src/runtime/system.ts'
import { buildBusyPod, podsOnNode } from './descheduler-objects.ts'
import { buildLargeNode } from './idle-objects.ts'

/** What the parent is told. */
export interface LargeClusterMessage {
  readonly kind: 'ready'
  readonly kubeconfigPath: string
}

const [nodeCount = 0, applicationCount = 1] = process.argv.slice(2).map(Number)

function fill(store: Store): void {
  const put = (resource: string, object: AnyObject) => store.put(resource, keyOf(object.metadata), object)
  let pods = 0
  for (let at = 0; at < nodeCount; at++) {
    put('nodes', buildLargeNode(at, Date.now()))
    for (let left = podsOnNode(at); left > 0; left--) put('pods', buildBusyPod(pods++, `node-${at}`, applicationCount))
  }
}

await using cluster = await openEmbeddedCluster({
  clock: systemClock,
  random: systemRandom,
  log: silentLog,
  nodes: 0,
  admission: builtInAdmission,
  controllers: [],
})
fill(cluster.store)
await using served = await serveCluster(cluster, { port: 0, clock: systemClock, log: silentLog, name: 'large' })
const folder = await mkdtemp(join(tmpdir(), 'lifeboat-large-'))
const kubeconfigPath = join(folder, 'kubeconfig')
await writeFile(kubeconfigPath, served.kubeconfig, { mode: 0o600 })
const ready: LargeClusterMessage = { kind: 'ready', kubeconfigPath }
process.send?.(ready)
await new Promise((resolve) => process.once('disconnect', resolve))
await rm(folder, { recursive: true, force: true })
