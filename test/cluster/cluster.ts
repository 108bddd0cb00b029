import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Binaries, buildBinaries } from './build.ts'
import { type ClusterSecrets, writeClusterFiles } from './cluster-files.ts'
import { type ComponentProcess, type Signal, startComponentProcess } from './component-process.ts'
import {
  addresses,
  argumentsOf,
  type Component,
  components,
  type ComponentSettings,
  filesIn,
  readinessOf,
} from './components.ts'
import { createKubectl, type Kubectl } from './kubectl.ts'
import { type MachineAddresses, takeAddresses } from './kubelet/machine-addresses.ts'
import { type RealNode, startRealNode } from './kubelet/real-node.ts'
import { findFreePorts } from './ports.ts'
import { probe } from './probe.ts'
import { startWatchdog, type Watchdog } from './watchdog.ts'

/** A real Kubernetes on this machine, all on loopback, with kwok playing the kubelets. */
export interface Cluster extends AsyncDisposable {
  /** Data, logs, certificates and kubeconfigs. */
  readonly folder: string
  readonly server: string
  /** Of etcd, which asks for no credentials. */
  readonly etcdServer: string
  /** For a member of system:masters; self-contained. */
  readonly kubeconfigPath: string
  readonly kubectlPath: string
  /** PEM of the authority behind the serving certificate. */
  readonly certificateAuthority: string
  /** For a member of system:masters. */
  readonly adminToken: string
  readonly kubectl: Kubectl
  /** Waits until the component has ended; SIGSTOP only freezes it, and start lets it go on. */
  stop(component: Component, signal?: Signal): Promise<void>
  /** On the same port and data as before; resolves once it is ready. The others may take seconds to notice. */
  start(component: Component): Promise<void>
  logOf(component: Component): Promise<string>
  /** Of the components that run. */
  pids(): ReadonlyMap<Component, number>
  /** Where pods run for real; only in a cluster that was started with one. */
  readonly realNode: RealNode | undefined
}

export interface ClusterOptions {
  /** Kept afterwards; without it the cluster has a temporary one, which goes with it. */
  readonly folder?: string
  readonly apiServerFlags?: readonly string[]
  /** All of them if left out. */
  readonly components?: readonly Component[]
  /** A kubelet with containerd beside the played ones; it needs root, see kubelet/requirements.ts. */
  readonly realNode?: boolean
}

/** A component did not come up, or did not end; the message has the end of its log. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError'
}

const limits = { readyWithinMs: 60_000, endWithinMs: 30_000, pollIntervalMs: 50, logLinesShown: 25 }

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const binaries = await buildBinaries('default')
  const folder = resolve(options.folder ?? (await mkdtemp(join(tmpdir(), 'lifeboat-cluster-'))))
  await mkdir(folder, { recursive: true })
  const wanted = options.components ?? components
  const machine = options.realNode === true ? await takeAddresses(folder) : undefined
  const settings = {
    folder,
    ports: await choosePorts(),
    apiServerFlags: options.apiServerFlags ?? [],
    serviceAccounts: wanted.includes('kube-controller-manager'),
    services: machine?.services ?? addresses.services,
  }
  const server = `https://${addresses.loopback}:${settings.ports['kube-apiserver']}`
  const apiServerService = machine?.apiServer ?? addresses.apiServerService
  const secrets = await writeClusterFiles({ folder, server, apiServerService })
  const removeFolder = options.folder === undefined
  const watchdog = startWatchdog({ folder, removeFolder })
  const cluster = new RunningCluster({ binaries, settings, server, secrets, watchdog, removeFolder })
  try {
    await cluster.startAll(wanted)
    if (machine !== undefined) await cluster.startRealNode(machine)
    return cluster
  } catch (error) {
    await cluster[Symbol.asyncDispose]()
    throw error
  }
}

async function choosePorts(): Promise<ComponentSettings['ports']> {
  const names = [...components, 'etcd-peer'] as const
  const ports = await findFreePorts(names.length)
  return Object.fromEntries(names.map((name, index) => [name, ports[index]])) as ComponentSettings['ports']
}

interface ClusterParts {
  readonly binaries: Binaries
  readonly settings: ComponentSettings
  readonly server: string
  readonly secrets: ClusterSecrets
  readonly watchdog: Watchdog
  readonly removeFolder: boolean
}

class RunningCluster implements Cluster {
  readonly folder: string
  readonly server: string
  readonly etcdServer: string
  readonly kubeconfigPath: string
  readonly kubectlPath: string
  readonly certificateAuthority: string
  readonly adminToken: string
  readonly kubectl: Kubectl
  realNode: RealNode | undefined
  readonly #parts: ClusterParts
  readonly #processes = new Map<Component, ComponentProcess>()
  readonly #frozen = new Set<Component>()

  constructor(parts: ClusterParts) {
    this.#parts = parts
    this.folder = parts.settings.folder
    this.server = parts.server
    this.etcdServer = `http://${addresses.loopback}:${parts.settings.ports.etcd}`
    this.kubeconfigPath = filesIn(this.folder).kubeconfig
    this.kubectlPath = this.#binary('kubectl')
    this.certificateAuthority = parts.secrets.certificateAuthority
    this.adminToken = parts.secrets.adminToken
    this.kubectl = createKubectl(this)
  }

  async startAll(wanted: readonly Component[]): Promise<void> {
    if (wanted.includes('etcd')) await this.start('etcd')
    if (wanted.includes('kube-apiserver')) await this.start('kube-apiserver')
    const rest = components.filter((name) => wanted.includes(name) && !this.#processes.has(name))
    await Promise.all(rest.map((name) => this.start(name)))
    // Until it exists, every pod in the namespace is refused.
    if (this.#parts.settings.serviceAccounts) {
      const url = `${this.server}/api/v1/namespaces/default/serviceaccounts/default`
      await this.#waitFor('kube-controller-manager', url, 'to make the default service account')
    }
  }

  async startRealNode(machine: MachineAddresses): Promise<void> {
    const { settings, watchdog } = this.#parts
    const kubeletPath = (await buildBinaries('kubelet')).get('kubelet') ?? ''
    const apiServerPort = settings.ports['kube-apiserver']
    const { folder, kubeconfigPath, kubectl } = this
    const access = { kubeletPath, kubeconfigPath, apiServerPort, kubectl }
    this.realNode = await startRealNode({ folder, ...access, machine, watchdog })
  }

  async start(component: Component): Promise<void> {
    const { settings, watchdog } = this.#parts
    const running = this.#processes.get(component)
    if (running?.ending() === undefined && this.#frozen.delete(component)) {
      running?.signal('SIGCONT')
    } else {
      if (running !== undefined && running.ending() === undefined) throw new ClusterError(`${component} runs already`)
      const process = await startComponentProcess({
        path: this.#binary(component),
        args: argumentsOf(component, settings),
        folder: this.folder,
        logPath: filesIn(this.folder).logOf(component),
      })
      watchdog.watch(process.pid)
      this.#processes.set(component, process)
    }
    await this.#waitFor(component, readinessOf(component, settings.ports).url, 'to be ready')
  }

  async stop(component: Component, signal: Signal = 'SIGTERM'): Promise<void> {
    const process = this.#processes.get(component)
    if (process === undefined || process.ending() !== undefined) return
    process.signal(signal)
    if (signal === 'SIGSTOP') this.#frozen.add(component)
    if (signal === 'SIGCONT') this.#frozen.delete(component)
    if (signal === 'SIGSTOP' || signal === 'SIGCONT') return
    // What is frozen would keep any other signal but SIGKILL waiting.
    if (this.#frozen.delete(component)) process.signal('SIGCONT')
    const timeout = AbortSignal.timeout(limits.endWithinMs)
    const late = once(timeout, 'abort').then(() => 'late' as const)
    if ((await Promise.race([process.exited, late])) === 'late') {
      throw new ClusterError(`${component} did not end after ${signal}; ${await this.#logEnd(component)}`)
    }
    this.#parts.watchdog.forget(process.pid)
    this.#processes.delete(component)
  }

  async logOf(component: Component): Promise<string> {
    return readFile(filesIn(this.folder).logOf(component), 'utf8').catch(() => '')
  }

  pids(): ReadonlyMap<Component, number> {
    const running = [...this.#processes].filter(([, process]) => process.ending() === undefined)
    return new Map(running.map(([component, process]) => [component, process.pid]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.realNode?.[Symbol.asyncDispose]()
    // Nothing of it is kept, so nothing needs to end gracefully.
    await Promise.all(components.map((component) => this.stop(component, 'SIGKILL')))
    await this.#parts.watchdog.release()
    if (this.#parts.removeFolder) await rm(this.folder, { recursive: true, force: true })
  }

  async #waitFor(component: Component, url: string, what: string): Promise<void> {
    const deadlineMs = performance.now() + limits.readyWithinMs
    const options = { certificateAuthority: this.certificateAuthority, token: this.adminToken }
    for (;;) {
      if ((await probe({ url }, options)) === 200) return
      const ending = this.#processes.get(component)?.ending()
      const failure =
        ending !== undefined
          ? `${component} ended (${ending}) while we waited for it ${what}`
          : performance.now() > deadlineMs
            ? `waited ${limits.readyWithinMs / 1_000} s for ${component} ${what}, in vain`
            : undefined
      if (failure !== undefined) throw new ClusterError(`${failure}; ${await this.#logEnd(component)}`)
      await sleep(limits.pollIntervalMs)
    }
  }

  async #logEnd(component: Component): Promise<string> {
    const lines = (await this.logOf(component)).trimEnd().split('\n').slice(-limits.logLinesShown)
    return `its log ends:\n${lines.join('\n')}`
  }

  #binary(name: string): string {
    const path = this.#parts.binaries.get(name)
    if (path === undefined) throw new ClusterError(`the recipe does not build ${name}`)
    return path
  }
}
