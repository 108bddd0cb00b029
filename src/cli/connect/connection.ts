import { homedir } from 'node:os'
import { connect, type Socket } from 'node:net'
import type { ClusterAccess } from '../../kube/auth/cluster-access.ts'
import { isInCluster, loadInCluster } from '../../kube/auth/in-cluster.ts'
import { loadKubeconfig } from '../../kube/auth/kubeconfig.ts'
import { systemFiles, systemProcesses } from '../../kube/auth/system-files.ts'
import { TransportError, type Transport } from '../../kube/client/transport.ts'
import { UndiciTransport } from '../../kube/client/undici-transport.ts'
import { InstallationError } from '../../manager/install/apply.ts'
import { checkServerVersion } from '../../manager/install/server-version.ts'
import { systemClock } from '../../runtime/system.ts'
import { version } from '../version.ts'

export interface ConnectionOptions {
  readonly kubeconfig?: string
  readonly context?: string
}

export interface Connection extends AsyncDisposable {
  readonly access: ClusterAccess
  readonly transport: UndiciTransport
  /** Of Kubernetes. */
  readonly serverVersion: string
}

const userAgent = `lifeboat/${version}`
const connectTimeoutMs = 10_000

export function openTransport(access: ClusterAccess): UndiciTransport {
  return new UndiciTransport({ ...access, userAgent })
}

/** Closed with the block that it is opened in. */
export function closing(transport: Transport): Transport & AsyncDisposable {
  return {
    request: (request) => transport.request(request),
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
    [Symbol.asyncDispose]: () => transport.close(),
  }
}

/** As the user that the kubeconfig names, to a server that is there and new enough. */
export async function openConnection(options: ConnectionOptions, signal?: AbortSignal): Promise<Connection> {
  const access = await loadKubeconfig({
    ...(options.kubeconfig === undefined ? {} : { path: options.kubeconfig }),
    ...(options.context === undefined ? {} : { context: options.context }),
    environment: process.env,
    homeFolder: homedir(),
    files: systemFiles,
    processes: systemProcesses,
    clock: systemClock,
  })
  return connectTo(access, signal)
}

/** In a pod as its service account, unless a kubeconfig is given. */
export async function openConnectionOfPod(options: ConnectionOptions, signal: AbortSignal): Promise<Connection> {
  if (options.kubeconfig !== undefined || !isInCluster(process.env)) return await openConnection(options, signal)
  const access = await loadInCluster({ environment: process.env, files: systemFiles, clock: systemClock })
  return await connectTo(access, signal)
}

export async function connectTo(access: ClusterAccess, signal?: AbortSignal): Promise<Connection> {
  const transport = openTransport(access)
  try {
    const serverVersion = await checkServerVersion(transport, signal)
    return { access, transport, serverVersion, [Symbol.asyncDispose]: () => transport.close() }
  } catch (error) {
    await transport.close()
    if (!(error instanceof TransportError)) throw error
    throw new InstallationError(`cannot reach the API server at ${access.server}: ${error.message}`, { cause: error })
  }
}

/** The address that this machine has on its way to the API server: most likely that is also the way back. */
export async function localAddressTowards(server: string): Promise<string> {
  const { hostname, port, protocol } = new URL(server)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port: Number(port === '' ? (protocol === 'http:' ? 80 : 443) : port) })
  using _timer = systemClock.timer(connectTimeoutMs, () => socket.destroy(new Error('no answer')))
  socket.once('connect', () => resolve(socket))
  socket.once('error', reject)
  try {
    const { localAddress = '127.0.0.1' } = await promise
    // An IPv4 connection through a socket for both says `::ffff:10.0.0.7`.
    return localAddress.replace(/^::ffff:(?=\d+\.)/, '')
  } finally {
    socket.destroy()
  }
}
