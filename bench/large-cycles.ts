import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePorts } from '../test/cluster/ports.ts'
import { buildRelease } from './build-release.ts'
import { answerOf } from './child-answer.ts'
import { startOurs, startUpstream, type DeschedulerProcess } from './descheduler-process.ts'
import type { LargeClusterMessage } from './large-cluster.ts'
import { heapOf, memoryOf } from './process-memory.ts'
import { processorTimes } from './processor-time.ts'

/** Cycles of a descheduler over a large cluster. */
export interface LargeCycles {
  /** The last of them. */
  readonly cycleMs: number
  /** Milliseconds of a core that it took, and what ran beside it. */
  readonly processorMs: number
  readonly named: number
  /** Resident, at its highest since the start. */
  readonly memoryMegabytes: number
}

export interface OurLargeCycles extends LargeCycles {
  readonly heapMegabytes: number
  /** The longest while nothing else could run, within a cycle. */
  readonly blockMs: number
}

/** As in docs/descheduler.md. */
const policy = {
  apiVersion: 'descheduler/v1alpha2',
  kind: 'DeschedulerPolicy',
  maxNoOfPodsToEvictPerNode: 5,
  profiles: [
    {
      name: 'balance',
      pluginConfig: [
        { name: 'DefaultEvictor', args: { nodeFit: true } },
        {
          name: 'LowNodeUtilization',
          args: { thresholds: { cpu: 20, pods: 20 }, targetThresholds: { cpu: 50, pods: 50 } },
        },
        {
          name: 'RemovePodsViolatingTopologySpreadConstraint',
          args: { constraints: ['DoNotSchedule', 'ScheduleAnyway'] },
        },
      ],
      plugins: { balance: { enabled: ['RemovePodsViolatingTopologySpreadConstraint', 'LowNodeUtilization'] } },
    },
  ],
}

const cyclesOfOurs = 4
const limits = { ourIntervalMs: 5_000, upstreamIntervalMs: 1_000, upstreamCyclesMax: 5, sampleEveryMs: 100 }

/** A large cluster that is served, in a process of its own. */
export class LargeCluster implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #kubeconfigPath: string
  readonly #folder: string

  private constructor(child: ChildProcess, kubeconfigPath: string, folder: string) {
    this.#child = child
    this.#kubeconfigPath = kubeconfigPath
    this.#folder = folder
  }

  static async start(size: { readonly nodes: number; readonly applications: number }): Promise<LargeCluster> {
    const words = [String(size.nodes), String(size.applications)]
    const child = fork(join(import.meta.dirname, 'large-cluster.ts'), words)
    const { kubeconfigPath } = await answerOf<LargeClusterMessage, 'ready'>(child, 'ready')
    const folder = await mkdtemp(join(tmpdir(), 'lifeboat-large-'))
    await writeFile(join(folder, 'policy.json'), JSON.stringify(policy))
    return new LargeCluster(child, kubeconfigPath, folder)
  }

  async measureOurs(): Promise<OurLargeCycles> {
    await using release = await buildRelease()
    const [port = 0] = await findFreePorts(1)
    await using running = startOurs(release.path, { ...this.#options(limits.ourIntervalMs), port })
    using memory = new MemoryPeak(running)
    let [count, blockMs] = [0, 0]
    let before = await this.#processorMs(running)
    for await (const { named, elapsedMs = 0 } of running.cycles) {
      const blockedMs = await blockOf(running.url)
      const processorMs = (await this.#processorMs(running)) - before
      before += processorMs
      // What comes before the first is the list of the cluster.
      if (++count > 1) blockMs = Math.max(blockMs, blockedMs)
      if (count < cyclesOfOurs) continue
      const heapMegabytes = await heapOf(running.url)
      return { cycleMs: elapsedMs, processorMs, named, memoryMegabytes: memory.megabytes, heapMegabytes, blockMs }
    }
    throw new Error('there is always one more cycle')
  }

  /** Until a cycle has seen the whole cluster: the first ones begin while upstream's copy of it is filled. */
  async measureUpstream(binary: string, { namedMin }: { readonly namedMin: number }): Promise<LargeCycles> {
    await using running = startUpstream(binary, this.#options(limits.upstreamIntervalMs))
    using memory = new MemoryPeak(running)
    let count = 0
    let before = await this.#processorMs(running)
    for await (const { named, elapsedMs = 0 } of running.cycles) {
      const processorMs = (await this.#processorMs(running)) - before
      before += processorMs
      if (named >= namedMin) return { cycleMs: elapsedMs, processorMs, named, memoryMegabytes: memory.megabytes }
      if (++count === limits.upstreamCyclesMax) break
    }
    throw new Error(`upstream has not named ${namedMin} pods in ${count} cycles`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.disconnect()
    await ended
    await rm(this.#folder, { recursive: true, force: true })
  }

  #options(intervalMs: number) {
    const policyPath = join(this.#folder, 'policy.json')
    return { kubeconfigPath: this.#kubeconfigPath, policyPath, intervalMs, dryRun: true }
  }

  async #processorMs({ pid }: DeschedulerProcess): Promise<number> {
    return (await processorTimes(new Map([['descheduler', pid]]))).get('descheduler') ?? 0
  }
}

/** Since it was last asked: the histogram behind it begins anew each time. */
async function blockOf(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1_000
}

class MemoryPeak implements Disposable {
  readonly #timer: NodeJS.Timeout
  #megabytes = 0

  constructor({ pid }: DeschedulerProcess) {
    this.#timer = setInterval(() => void this.#sample(pid), limits.sampleEveryMs)
  }

  get megabytes(): number {
    return this.#megabytes
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
  }

  async #sample(pid: number): Promise<void> {
    const megabytes = await memoryOf(pid).catch(() => 0)
    this.#megabytes = Math.max(this.#megabytes, megabytes)
  }
}
