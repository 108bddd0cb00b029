import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pino } from 'pino'
import { parse } from 'yaml'
import type { EmbeddedCluster } from '../../embedded/cluster.ts'
import { sleep } from '../../runtime/clock.ts'
import { systemClock, systemRandom } from '../../runtime/system.ts'
import { loadEmbedded } from '../connect/load-embedded.ts'
import type { World } from '../program.ts'

export interface ClusterOptions {
  readonly nodes: number
  /** 0: any that is free. */
  readonly port: number
  /** Without it the kubeconfig is a file of its own, which goes with the cluster. */
  readonly kubeconfig?: string
}

const readyCheckIntervalMs = 5
const tokenKeyLength = 32
const name = 'lifeboat'

/** `lifeboat cluster`: a small Kubernetes in this process, for kubectl, until Ctrl-C. */
export async function cluster(world: World, options: ClusterOptions): Promise<void> {
  const { builtInAdmission, nodeLabels, openEmbeddedCluster, serveCluster } = await loadEmbedded()
  const log = pino({ level: 'warn' }, pino.destination(2))
  if (options.kubeconfig !== undefined) await refuseForeignFile(options.kubeconfig)
  const interrupted = world.untilInterrupted()
  await using embedded = await openEmbeddedCluster({
    clock: systemClock,
    random: systemRandom,
    log,
    nodes: options.nodes,
    admission: builtInAdmission,
    tokenKey: randomBytes(tokenKeyLength),
  })
  await using served = await serveCluster(embedded, { port: options.port, clock: systemClock, log, name })
  await using file = await writeKubeconfig(served.kubeconfig, options.kubeconfig)
  await untilNodesAreReady(embedded, options.nodes)
  world.print(
    `Kubernetes is up at ${served.url} with ${options.nodes} nodes, all in this process. In another terminal:`,
  )
  world.print('')
  world.print(`export KUBECONFIG=${shellQuoted(file.path)}`)
  world.print('kubectl get nodes')
  world.print('')
  world.print(`To make a node fall silent:  kubectl label node NAME ${nodeLabels.silent}=true`)
  world.print(`To let it report again:      kubectl label node NAME ${nodeLabels.silent}-`)
  world.print('')
  world.print('Ctrl-C ends it, and nothing of it stays.')
  await interrupted
}

/** A user's kubeconfig has credentials that exist nowhere else: only a file of ours is written over. */
async function refuseForeignFile(path: string): Promise<void> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined || text.trim() === '') return
  const { clusters } = (parse(text) ?? {}) as { clusters?: readonly { name?: string }[] }
  if (clusters?.length === 1 && clusters[0]?.name === name) return
  throw new Error(`${path} is not a kubeconfig of an earlier "lifeboat cluster": name another file, or remove it`)
}

async function writeKubeconfig(
  content: string,
  wanted: string | undefined,
): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = wanted === undefined ? await mkdtemp(join(tmpdir(), 'lifeboat-cluster-')) : undefined
  const path = folder === undefined ? resolve(wanted ?? '') : join(folder, 'kubeconfig')
  await writeFile(path, content, { mode: 0o600 })
  // What it points to is gone with the process, also where the user chose its place.
  return { path, [Symbol.asyncDispose]: () => rm(folder ?? path, { recursive: true, force: true }) }
}

async function untilNodesAreReady({ store }: EmbeddedCluster, count: number): Promise<void> {
  const ready = () =>
    store.list('nodes').filter((node) => {
      const { conditions = [] } = (node['status'] ?? {}) as { conditions?: readonly { type: string; status: string }[] }
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
    })
  while (ready().length < count) await sleep(systemClock, readyCheckIntervalMs)
}

function shellQuoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
