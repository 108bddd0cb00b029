import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { writeImage } from '../../../scripts/image-archive.ts'
import { type ComponentProcess, startComponentProcess } from '../component-process.ts'
import { addresses } from '../components.ts'
import type { Kubectl } from '../kubectl.ts'
import { findFreePorts } from '../ports.ts'
import type { Watchdog } from '../watchdog.ts'
import { cleanUpRealNode } from './clean-up.ts'
import {
  cgroupOf,
  containerdConfig,
  kubeletArguments,
  kubeletConfig,
  networkConfig,
  nodeFilesIn,
  pauseImage,
  realNode,
} from './files.ts'
import type { MachineAddresses } from './machine-addresses.ts'
import { findPluginFolder, findProgram, missingForContainers } from './requirements.ts'

/** A node of the cluster whose pods run: a kubelet and containerd of their own, as root on this machine. */
export interface RealNode extends AsyncDisposable {
  readonly name: string
  /** The folder that its kubelet has static pods from. */
  readonly manifests: string
  /** As after a crash; resolves when the node is ready again. */
  restartKubelet(): Promise<void>
  /** Puts an image there, from an archive: no registry is asked for anything. */
  importImage(path: string): Promise<void>
  /** The process that a container began with; the id as in the status of its pod. */
  pidOf(containerId: string): Promise<number>
  logs(): Promise<string>
}

export interface RealNodeParts {
  readonly folder: string
  readonly kubeletPath: string
  readonly kubeconfigPath: string
  readonly apiServerPort: number
  readonly machine: MachineAddresses
  readonly kubectl: Kubectl
  readonly watchdog: Watchdog
}

const run = promisify(execFile)
const limits = { startedWithinMs: 60_000, lookEveryMs: 100, logLinesShown: 25 }

export async function startRealNode(parts: RealNodeParts): Promise<RealNode> {
  const missing = await missingForContainers()
  if (missing.length > 0) throw new Error(`pods cannot run on this machine, which lacks ${missing.join(', ')}`)
  const node = new RunningNode(parts)
  try {
    await node.start()
    return node
  } catch (error) {
    const logs = await node.logs()
    await node[Symbol.asyncDispose]()
    throw new Error(`the real node did not start: ${String(error)}\n${logs}`, { cause: error })
  }
}

class RunningNode implements RealNode {
  readonly name = realNode
  readonly manifests: string
  readonly #parts: RealNodeParts
  readonly #processes: ComponentProcess[] = []
  #server: Server | undefined

  constructor(parts: RealNodeParts) {
    this.#parts = parts
    this.manifests = nodeFilesIn(parts.folder).manifests
  }

  async start(): Promise<void> {
    const { folder } = this.#parts
    const files = nodeFilesIn(folder)
    await this.#openServiceAddress()
    await this.#writeFiles()
    await this.#launch((await findProgram('containerd', process.env)) ?? '', ['--config', files.containerdConfig])
    await this.#until('containerd', () => this.#containerd(['version']))
    await this.importImage(files.pauseImage)
    await this.#startKubelet()
  }

  async restartKubelet(): Promise<void> {
    const kubelet = this.#processes.pop()
    if (kubelet === undefined) throw new Error('the node was not started')
    kubelet.signal('SIGKILL')
    await kubelet.exited
    this.#parts.watchdog.forget(kubelet.pid)
    await this.#startKubelet()
  }

  async #startKubelet(): Promise<void> {
    const { folder, kubeletPath, kubeconfigPath, kubectl, machine } = this.#parts
    await this.#launch(kubeletPath, kubeletArguments(folder, kubeconfigPath, machine.apiServer))
    await this.#until('the node', async () => {
      const ready = 'jsonpath={.status.conditions[?(@.type=="Ready")].status}'
      if ((await kubectl(['get', 'node', realNode, '-o', ready])) !== 'True') throw new Error('it is not Ready')
    })
  }

  async importImage(path: string): Promise<void> {
    await this.#containerd(['images', 'import', path])
  }

  async pidOf(containerId: string): Promise<number> {
    const { stdout } = await this.#containerd(['tasks', 'list'])
    const id = containerId.replace(/^containerd:\/\//, '')
    const line = stdout.split('\n').find((candidate) => candidate.startsWith(id))
    const pid = Number(line?.split(/\s+/)[1])
    if (!Number.isInteger(pid) || pid <= 1) throw new Error(`there is no task of container ${id}`)
    return pid
  }

  async logs(): Promise<string> {
    const files = nodeFilesIn(this.#parts.folder)
    const ends = await Promise.all(
      [files.containerdLog, files.kubeletLog].map(async (path) => {
        const lines = (await readFile(path, 'utf8').catch(() => '')).trimEnd().split('\n')
        return `${path} ends:\n${lines.slice(-limits.logLinesShown).join('\n')}`
      }),
    )
    return ends.join('\n')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const process of this.#processes.toReversed()) {
      process.signal('SIGKILL')
      await process.exited
      this.#parts.watchdog.forget(process.pid)
    }
    this.#server?.close()
    await cleanUpRealNode(this.#parts.folder)
  }

  /** There is no kube-proxy here: whoever connects to the address of the Service kubernetes is put through by us. */
  async #openServiceAddress(): Promise<void> {
    const server = createServer((incoming) => {
      const outgoing = connect(this.#parts.apiServerPort, addresses.loopback)
      joined(incoming, outgoing)
    })
    server.listen(443, this.#parts.machine.apiServer)
    await once(server, 'listening')
    // It does not keep the process running by itself.
    server.unref()
    this.#server = server
  }

  async #writeFiles(): Promise<void> {
    const { folder } = this.#parts
    const files = nodeFilesIn(folder)
    const [kubelet = 0, health = 0] = await findFreePorts(2)
    await mkdir(files.networkConfig, { recursive: true })
    await mkdir(files.manifests, { recursive: true })
    await writeFile(files.containerdConfig, containerdConfig(folder, (await findPluginFolder()) ?? ''))
    await writeFile(join(files.networkConfig, '10-test.conflist'), networkConfig(folder, this.#parts.machine.pods))
    await writeFile(files.kubeletConfig, kubeletConfig(folder, { kubelet, health }))
    await makeCgroups(folder)
    const busybox = await readFile((await findProgram('busybox', process.env)) ?? '')
    await writeImage(files.pauseImage, {
      reference: pauseImage,
      architecture: process.arch === 'x64' ? 'amd64' : process.arch,
      layers: [
        [
          { kind: 'folder', path: 'bin' },
          { kind: 'file', path: 'bin/busybox', content: busybox, executable: true },
        ],
      ],
      config: { Entrypoint: ['/bin/busybox', 'sleep', '2147483647'] },
    })
  }

  async #launch(path: string, args: readonly string[]): Promise<void> {
    const { folder, watchdog } = this.#parts
    const files = nodeFilesIn(folder)
    const logPath = path.endsWith('containerd') ? files.containerdLog : files.kubeletLog
    const process = await startComponentProcess({ path, args, folder, logPath })
    watchdog.watch(process.pid)
    this.#processes.push(process)
  }

  #containerd(args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    return run('ctr', ['--address', nodeFilesIn(this.#parts.folder).containerdSocket, '--namespace', 'k8s.io', ...args])
  }

  async #until(what: string, look: () => Promise<unknown>): Promise<void> {
    const deadlineMs = performance.now() + limits.startedWithinMs
    for (;;) {
      const problem = await look().then(
        () => undefined,
        (error: unknown) => error,
      )
      if (problem === undefined) return
      const ended = this.#processes.find((process) => process.ending() !== undefined)
      if (ended !== undefined || performance.now() > deadlineMs) {
        throw new Error(`waited for ${what} in vain`, { cause: problem })
      }
      await sleep(limits.lookEveryMs)
    }
  }
}

/** In each hierarchy where there is one for each controller; with one for all, that. */
async function makeCgroups(folder: string): Promise<void> {
  const root = '/sys/fs/cgroup'
  const isUnified = (await readdir(root)).includes('cgroup.controllers')
  const hierarchies = isUnified ? [root] : (await readdir(root)).map((name) => join(root, name))
  for (const hierarchy of hierarchies) await mkdir(join(hierarchy, cgroupOf(folder)), { recursive: true })
  if (!isUnified) await inheritCpuset(join(root, 'cpuset', cgroupOf(folder)))
}

/** A new cpuset is empty, and nothing can run in an empty one. */
async function inheritCpuset(path: string): Promise<void> {
  for (const name of ['cpuset.cpus', 'cpuset.mems']) {
    const value = await readFile(join(path, '..', name), 'utf8').catch(() => '')
    if (value !== '') await writeFile(join(path, name), value)
  }
}

function joined(incoming: Socket, outgoing: Socket): void {
  incoming.pipe(outgoing).pipe(incoming)
  for (const socket of [incoming, outgoing]) {
    socket.on('error', () => {
      incoming.destroy()
      outgoing.destroy()
    })
  }
}
