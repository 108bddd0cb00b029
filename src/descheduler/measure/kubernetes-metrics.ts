import type { KubernetesObject } from '../../api/kubernetes/meta.ts'
import type { Resource } from '../../api/kubernetes/resources.ts'
import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import type { Kube } from '../../kube/client/client.ts'
import { isKubeError, type KubeError } from '../../kube/client/errors.ts'
import { oneLine } from '../../kube/auth/kubeconfig-error.ts'
import { sleep, type Clock } from '../../runtime/clock.ts'
import type { Log } from '../../runtime/log.ts'
import {
  amountsOfNode,
  amountsOfPod,
  nodeMetrics,
  nodeUsageOf,
  podMetrics,
  smoothed,
  type NodeUsage,
} from './metrics-api.ts'

export interface KubernetesMetricsOptions {
  readonly kube: Pick<Kube, 'list'>
  readonly clock: Clock
  readonly log: Log
  /** Lets everything else that is ready run first. */
  readonly turn: () => Promise<void>
}

const limits = {
  collectEveryMs: 5_000,
  /** A node that is missing in the lists for so long is taken for gone, or each node ever seen would stay in memory. */
  missingNodeKeptMs: 24 * 60 * 60 * 1_000,
  podsPerTurn: 1_000,
}

type Measured = 'nodes' | 'pods'

/** What nodes and pods use, as metrics.k8s.io reports it. */
export class KubernetesMetrics {
  readonly #options: KubernetesMetricsOptions
  readonly #usage = new Map<string, NodeUsage & { readonly listedMs: number }>()
  readonly #problems = new Map<Measured, MetricsProblem>()
  #synced = false

  constructor(options: KubernetesMetricsOptions) {
    this.#options = options
  }

  /** There was a list of nodes. */
  synced(): boolean {
    return this.#synced
  }

  /** Why the last attempt failed. */
  problem(): Error | undefined {
    return this.#problems.get('nodes') ?? this.#problems.get('pods')
  }

  /** Smoothed. The number of pods on a node is not measured here. */
  nodes(): ReadonlyMap<string, Amounts> {
    const nodes = new Map<string, Amounts>()
    for (const [name, usage] of this.#usage) nodes.set(name, amountsOfNode(usage))
    return nodes
  }

  /** Collects until the signal aborts. The time that a list takes is part of the interval, as in upstream. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      const beganMs = clock.monotonicMs()
      try {
        await this.collect(signal)
        await sleep(clock, beganMs + limits.collectEveryMs - clock.monotonicMs(), signal)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    }
  }

  /**
   * One list for all nodes. Upstream asks for each node by itself every five seconds, a thousand requests a second in a
   * cluster of 5,000 nodes. The numbers are the same.
   */
  async collect(signal: AbortSignal): Promise<void> {
    const metrics = await this.#list('nodes', nodeMetrics, signal)
    if (metrics === undefined) return
    const nowMs = this.#options.clock.monotonicMs()
    for (const node of metrics) {
      const { name } = node.metadata
      if (name === undefined) continue
      this.#usage.set(name, { ...smoothed(this.#usage.get(name), nodeUsageOf(node)), listedMs: nowMs })
    }
    for (const [name, { listedMs }] of this.#usage) {
      if (nowMs - listedMs > limits.missingNodeKeptMs) this.#usage.delete(name)
    }
    this.#synced = true
  }

  /** As it is now, by `namespace/name`. Empty if it cannot be had: upstream passes over a pod without a value. */
  async podUsage(signal: AbortSignal): Promise<ReadonlyMap<string, Amounts>> {
    const metrics = await this.#list('pods', podMetrics, signal)
    const usage = new Map<string, Amounts>()
    for (const [index, pod] of (metrics ?? []).entries()) {
      if (index % limits.podsPerTurn === limits.podsPerTurn - 1) {
        await this.#options.turn()
        signal.throwIfAborted()
      }
      const amounts = amountsOfPod(pod)
      if (amounts !== undefined) usage.set(`${pod.metadata.namespace}/${pod.metadata.name}`, amounts)
    }
    return usage
  }

  async #list<T extends KubernetesObject>(
    what: Measured,
    resource: Resource<T>,
    signal: AbortSignal,
  ): Promise<readonly T[] | undefined> {
    try {
      const { items } = await this.#options.kube.list(resource, { signal })
      this.#note(what, undefined)
      return items
    } catch (error) {
      signal.throwIfAborted()
      if (!isKubeError(error)) throw error
      this.#note(what, new MetricsProblem(what, error))
      return undefined
    }
  }

  /** One line when it begins to fail, when the reason changes, and when it works again. */
  #note(what: Measured, problem: MetricsProblem | undefined): void {
    const { log } = this.#options
    const before = this.#problems.get(what)?.message
    if (problem === undefined) {
      this.#problems.delete(what)
      if (before !== undefined) log.info({ resource: what }, 'metrics.k8s.io answers again')
    } else {
      this.#problems.set(what, problem)
      if (before !== problem.message) log.warn({ resource: what, code: problem.code }, problem.message)
    }
  }
}

/** Says what to do about it. */
export class MetricsProblem extends Error {
  override readonly name = 'MetricsProblem'
  readonly code: number

  constructor(what: Measured, cause: KubeError) {
    super(oneLine(problemText(what, cause)), { cause })
    this.code = cause.code
  }
}

function problemText(what: Measured, { kind, message }: KubeError): string {
  if (kind === 'notFound') {
    return 'the cluster does not serve metrics.k8s.io: metrics-server must be installed to measure what nodes and pods use'
  }
  if (kind === 'forbidden' || kind === 'unauthorized') {
    return `the descheduler needs the right to list ${what} of metrics.k8s.io: ${message}`
  }
  return `metrics.k8s.io does not list ${what}; metrics-server must be installed and ready: ${message}`
}
