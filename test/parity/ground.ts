import { setTimeout as pause } from 'node:timers/promises'
import { KubernetesMetrics } from '../../src/descheduler/measure/kubernetes-metrics.ts'
import { ClusterWatch } from '../../src/descheduler/cluster-watch.ts'
import type { ClusterView } from '../../src/descheduler/view.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import type { UndiciTransport } from '../../src/kube/client/undici-transport.ts'
import { ConcurrencyLimit } from '../../src/runtime/concurrency-limit.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemClock, systemRandom } from '../../src/runtime/system.ts'
import { noMetrics } from '../build/descheduler-view.ts'
import { buildKube } from '../build/kube.ts'
import { buildBinaries } from '../cluster/build.ts'
import { startCluster, type Cluster } from '../cluster/cluster.ts'
import { connectTransport } from '../cluster/connect.ts'
import {
  buildCaseObjects,
  buildCasePolicy,
  buildPriorityClasses,
  prefixesOf,
  priorityClasses,
  type CasePlace,
} from './build-objects.ts'
import { comparableOf, type ParityCase } from './case.ts'
import { EtcdWriter } from './etcd.ts'
import { MetricsApi } from './metrics-api.ts'
import { runOurs } from './ours.ts'
import { runUpstream, type Nominated } from './upstream.ts'

export interface Comparison {
  readonly upstream: readonly string[]
  readonly ours: readonly string[]
  /** Names of the pods that ours would send away. */
  readonly names: readonly string[]
}

const limits = {
  casesAtOnce: 3,
  /** They wait for upstream's measuring. */
  measuredCasesAtOnce: 10,
  visibleWithinMs: 10_000,
  pollIntervalMs: 5,
  intervalMs: 60,
  patientIntervalMs: 500,
  /** Upstream measures every 5 s, and the first time may be too early for it to know the nodes. */
  measuredIntervalMs: 6_000,
}

/** An API server with etcd and nothing else: what a case says about a pod stays true. */
export class ParityGround implements AsyncDisposable {
  readonly #cluster: Cluster
  readonly #binary: string
  readonly #transport: UndiciTransport
  readonly #etcd: EtcdWriter
  readonly #kube: Kube
  readonly #watch: ClusterWatch
  readonly #stop = new AbortController()
  readonly #watching: Promise<void>
  readonly #turns = new ConcurrencyLimit(limits.casesAtOnce)
  readonly #measuredTurns = new ConcurrencyLimit(limits.measuredCasesAtOnce)
  #metricsApi: Promise<MetricsApi> | undefined
  #count = 0

  private constructor(cluster: Cluster, binary: string, transport: UndiciTransport) {
    this.#cluster = cluster
    this.#binary = binary
    this.#transport = transport
    this.#etcd = new EtcdWriter(cluster.etcdServer)
    const parts = { clock: systemClock, random: systemRandom, log: silentLog, metrics: noKubeMetrics }
    const everything = {
      namespaces: true,
      budgets: true,
      claims: true,
      conditions: true,
      priorityClasses: [],
      hasEvacuations: false,
    }
    this.#kube = buildKube(transport, systemClock)
    this.#watch = new ClusterWatch({ ...parts, kube: this.#kube }, everything)
    this.#watching = this.#watch.run(this.#stop.signal)
  }

  static async open(): Promise<ParityGround> {
    const binary = (await buildBinaries('descheduler')).get('descheduler') ?? ''
    const cluster = await startCluster({ components: ['etcd', 'kube-apiserver'] })
    const ground = new ParityGround(cluster, binary, await connectTransport(cluster))
    await ground.#etcd.put(buildPriorityClasses({ id: 'classes', nowMs: Date.now() }))
    await ground.#watch.synced()
    return ground
  }

  /** Which pods both would send away, as `namespace/name on node`, or how many. */
  async compare(parityCase: ParityCase): Promise<Comparison> {
    const turns = parityCase.metrics === undefined ? this.#turns : this.#measuredTurns
    return turns.run(async () => {
      const place = { id: `case-${++this.#count}`, nowMs: Date.now() }
      await this.#etcd.put(buildCaseObjects(place, parityCase))
      try {
        return await this.#compareIn(place, parityCase)
      } finally {
        await this.#etcd.remove(prefixesOf(place))
      }
    })
  }

  async #compareIn(place: CasePlace, parityCase: ParityCase): Promise<Comparison> {
    const policy = buildCasePolicy(place, parityCase)
    const told = (named: readonly Nominated[]) =>
      comparableOf(parityCase, named).map((text) => text.replaceAll(place.id, 'NS'))
    const view = await this.#viewOf(place, parityCase)
    const metrics = await this.#measure(place, parityCase)
    const named = runOurs(policy, { ...view, metrics }, priorityClasses)
    const ours = told(named)
    const ask = async (intervalMs: number) => {
      const { kubeconfigPath, folder } = this.#cluster
      const access = { binary: this.#binary, kubeconfigPath, folder }
      return told(await runUpstream(policy, { ...access, id: place.id, intervalMs, summaryOf: told }))
    }
    const names = named.map(({ name }) => name).toSorted()
    if (parityCase.metrics !== undefined) return { upstream: await ask(limits.measuredIntervalMs), ours, names }
    const upstream = await ask(limits.intervalMs)
    if (upstream.join() === ours.join()) return { upstream, ours, names }
    // On a busy machine the copy of the cluster may have been late for two cycles.
    return { upstream: await ask(limits.patientIntervalMs), ours, names }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('all cases are told'))
    await this.#watching
    const [metricsApi] = await Promise.allSettled([this.#metricsApi])
    if (metricsApi.status === 'fulfilled') await metricsApi.value?.[Symbol.asyncDispose]()
    await this.#transport.close()
    await this.#cluster[Symbol.asyncDispose]()
  }

  async #measure(place: CasePlace, parityCase: ParityCase): Promise<ClusterView['metrics']> {
    if (parityCase.metrics === undefined) return noMetrics
    const { folder } = this.#cluster
    this.#metricsApi ??= MetricsApi.open({ folder, transport: this.#transport, etcd: this.#etcd })
    const api = await this.#metricsApi
    api.tell(place, parityCase)
    const turn = async () => {}
    const metrics = new KubernetesMetrics({ kube: this.#kube, clock: systemClock, log: silentLog, turn })
    await metrics.collect(this.#stop.signal)
    return { ...noMetrics, nodes: metrics.nodes(), pods: await metrics.podUsage(this.#stop.signal) }
  }

  /** Once the watch has everything, and so has the API server. */
  async #viewOf({ id }: CasePlace, parityCase: ParityCase): Promise<ClusterView> {
    const { nodes, pods, budgets = [], claims = [] } = parityCase
    const isOwn = (name: string) => name === id || name.startsWith(`${id}-`) || name.startsWith(`${id}/`)
    const wanted = [nodes.length, pods.length, 2, budgets.length, claims.length].join()
    const deadlineMs = performance.now() + limits.visibleWithinMs
    while (performance.now() < deadlineMs) {
      const view = this.#watch.view(Date.now(), noMetrics)
      const found = [
        view.nodes.map(({ name }) => name),
        view.pods.map(({ nodeName }) => nodeName),
        [...view.namespaces.keys()],
        view.budgets.map(({ namespace }) => namespace),
        [...view.storageClasses.keys()],
      ]
      if (found.map((names) => names.filter(isOwn).length).join() === wanted) return view
      await pause(limits.pollIntervalMs)
    }
    throw new Error('the watch does not show what was arranged')
  }
}
