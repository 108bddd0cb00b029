// the embedded cluster: its size, and its speed beside the real API server's
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { builtInAdmission } from '../src/embedded/server/admission/built-in-admission.ts'
import { openEmbeddedCluster } from '../src/embedded/cluster.ts'
import type { Transport, TransportRequest } from '../src/kube/client/transport.ts'
import { silentLog } from '../src/runtime/log.ts'
import { seededRandom } from '../src/runtime/random.ts'
import { systemClock } from '../src/runtime/system.ts'
import { startCluster } from '../test/cluster/cluster.ts'
import { connectTransport } from '../test/cluster/connect.ts'
import { printLine, renderComparison, renderFigure } from './report.ts'

const size = { nodes: 5_000, pods: 150_000 }
const requests = { embedded: 100_000, real: 3_000, atOnce: 30 }
const podsOnReal = 2_000
const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const program = join(import.meta.dirname, '..', 'bin', 'lifeboat')
const podsPath = '/api/v1/namespaces/default/pods'

const buildPod = (at: number): TransportRequest => ({
  method: 'POST',
  path: podsPath,
  body: {
    metadata: { name: `pod-${at}`, labels: { app: `app-${at % 100}` } },
    spec: { nodeName: `node-${(at % size.nodes) + 1}`, containers: [{ name: 'main', image: 'web:1' }] },
  },
})

async function inParallel(total: number, atOnce: number, work: (at: number) => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  let next = 0
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (next < total) await work(next++)
    }),
  )
  return (performance.now() - startMs) / 1_000
}

async function expectSuccess(transport: Transport, request: TransportRequest): Promise<void> {
  const { status, body } = await transport.request(request)
  if (status >= 300) throw new Error(`${request.method} ${request.path}: ${status} ${JSON.stringify(body)}`)
}

async function measure(transport: Transport, total: number, pods: number) {
  const get = (at: number) => expectSuccess(transport, { method: 'GET', path: `${podsPath}/pod-${at % pods}` })
  const headers = { 'content-type': 'application/merge-patch+json' }
  const patch = (at: number) =>
    expectSuccess(transport, {
      method: 'PATCH',
      path: `${podsPath}/pod-${at % pods}`,
      headers,
      body: { metadata: { labels: { turn: String(at) } } },
    })
  return {
    get: total / (await inParallel(total, requests.atOnce, get)),
    patch: total / (await inParallel(total, requests.atOnce, patch)),
  }
}

/** From the command to the line that says where the cluster is. */
async function commandSeconds(folder: string): Promise<number> {
  const kubeconfig = join(folder, 'kubeconfig')
  const beganMs = performance.now()
  const running = spawn(program, ['cluster', '--nodes', '20', '--kubeconfig', kubeconfig])
  const ended = once(running, 'exit')
  for await (const line of createInterface({ input: running.stdout })) if (line.includes(kubeconfig)) break
  const tookMs = performance.now() - beganMs
  running.kill('SIGINT')
  await ended
  return tookMs / 1_000
}

const folder = await mkdtemp(join(tmpdir(), 'lifeboat-bench-'))
const commands: number[] = []
while (commands.length < 5) commands.push(await commandSeconds(folder))
await rm(folder, { recursive: true, force: true })
const fastest = Math.min(...commands)
printLine(renderFigure({ what: 'lifeboat cluster --nodes 20, until it is up', unit: 's', value: fastest, max: 1 }))

const startMs = performance.now()
const cluster = await openEmbeddedCluster({
  clock: systemClock,
  random: seededRandom(1),
  log: silentLog,
  nodes: size.nodes,
  admission: builtInAdmission,
})
const transport = cluster.transport(admin)
const createSeconds = await inParallel(size.pods, requests.atOnce, (at) => expectSuccess(transport, buildPod(at)))
const allSeconds = (performance.now() - startMs) / 1_000
const ready = () =>
  [...cluster.store.values('pods')].filter((pod) => (pod['status'] as { phase?: string }).phase === 'Running').length
while (ready() < size.pods) await new Promise((resolve) => setTimeout(resolve, 100))
const runningSeconds = (performance.now() - startMs) / 1_000
const memoryGiB = process.memoryUsage().rss / 2 ** 30
printLine(
  renderFigure({ what: `${size.nodes} nodes and ${size.pods} pods created`, unit: 's', value: allSeconds, max: 60 }),
)
printLine(renderFigure({ what: '... and all of them running', unit: 's', value: runningSeconds }))
printLine(renderFigure({ what: 'memory with all of them', unit: 'GiB', value: memoryGiB, max: 4 }))
const embedded = await measure(transport, requests.embedded, size.pods)
printLine(renderFigure({ what: 'in-process GET', unit: 'requests/s', value: embedded.get, min: 20_000 }))
printLine(renderFigure({ what: 'in-process PATCH', unit: 'requests/s', value: embedded.patch, min: 20_000 }))
await cluster[Symbol.asyncDispose]()

await using realCluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
const realTransport = await connectTransport(realCluster)
const realCreateSeconds = await inParallel(podsOnReal, requests.atOnce, (at) =>
  expectSuccess(realTransport, buildPod(at)),
)
const real = await measure(realTransport, requests.real, podsOnReal)
await realTransport.close()
console.log('ours: embedded, in process; theirs: the real API server over HTTPS on the same machine')
printLine(
  renderComparison({
    what: 'creating pods',
    unit: 'pods/s',
    ours: size.pods / createSeconds,
    theirs: podsOnReal / realCreateSeconds,
  }),
)
printLine(renderComparison({ what: 'GET of a pod', unit: 'requests/s', ours: embedded.get, theirs: real.get }))
printLine(renderComparison({ what: 'PATCH of a pod', unit: 'requests/s', ours: embedded.patch, theirs: real.patch }))
