import { customResourceDefinitions } from '../../src/api/schema/custom-resource-definitions.ts'
import {
  evacuations,
  evacuationType,
  type Evacuation,
  type EvacuationSpec,
} from '../../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster.ts'
import { EvacuationController } from '../../src/evacuation/evacuation-controller.ts'
import type { EndedTurn } from '../../src/evacuation/evacuator-turns.ts'
import { noEvacuationMetrics } from '../../src/evacuation/metrics.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import type { ClusterEvent } from '../../src/kube/events/cluster-event.ts'
import { isKubeError } from '../../src/kube/client/errors.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import { NodePods } from '../../src/kube/watch/node-pods.ts'
import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'
import { noQueueMetrics } from '../../src/runtime/work-queue.ts'
import { buildKube } from './kube.ts'
import { untilSettled } from './until-settled.ts'

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }

export interface GroundOptions {
  readonly nodes?: number
  readonly podEvictPolicy?: boolean
  /** Classes of evacuators that need not read that it is their turn. */
  readonly ownEvacuators?: ReadonlySet<string>
  /** False: no controller runs until start(). */
  readonly started?: boolean
}

/** An embedded cluster in virtual time with an evacuation controller on it, and nothing else of Lifeboat. */
export class EvacuationGround implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly cluster: EmbeddedCluster
  /** As somebody with every right. */
  readonly kube: Kube
  /** What the controller sent, reads left out. */
  readonly writes: TransportRequest[] = []
  readonly events: ClusterEvent[] = []
  readonly turns: EndedTurn[] = []
  readonly #options: GroundOptions
  #running: { readonly stop: AbortController; readonly ended: Promise<unknown> } | undefined

  private constructor(clock: VirtualClock, cluster: EmbeddedCluster, options: GroundOptions) {
    this.clock = clock
    this.cluster = cluster
    this.kube = buildKube(cluster.transport(admin), clock)
    this.#options = options
  }

  static async open(options: GroundOptions = {}): Promise<EvacuationGround> {
    const clock = new VirtualClock()
    const cluster = await settled(
      clock,
      openEmbeddedCluster({
        clock,
        random: seededRandom(1),
        log: silentLog,
        nodes: options.nodes ?? 2,
        admission: builtInAdmission,
      }),
    )
    const ground = new EvacuationGround(clock, cluster, options)
    const definitions = cluster.transport(admin)
    for (const body of customResourceDefinitions()) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
      await settled(clock, definitions.request({ method: 'POST', path, body }))
    }
    await clock.advance(5_000)
    if (options.started !== false) await ground.start()
    return ground
  }

  /** The controller comes up, as after a restart: it knows nothing. `wrap` stands between it and the cluster. */
  async start(wrap: (transport: Transport) => Transport = (transport) => transport): Promise<void> {
    const { clock } = this
    const transport = recorded(wrap(this.cluster.transport(admin)), this.writes)
    const kube = buildKube(transport, clock)
    const informed = { kube, clock, random: seededRandom(2), log: silentLog }
    const controller = new EvacuationController({
      ...informed,
      nodePods: new NodePods({ ...informed, metrics: noKubeMetrics }),
      events: { record: (event) => this.events.push(event) },
      kubeMetrics: noKubeMetrics,
      queueMetrics: noQueueMetrics,
      metrics: { ...noEvacuationMetrics, turnEnded: (turn) => void this.turns.push(turn) },
      claims: async () => [],
      node: async () => undefined,
      podEvictPolicy: this.#options.podEvictPolicy ?? true,
      ownEvacuators: this.#options.ownEvacuators ?? new Set(),
      controllerEvictTimeoutMs: 60_000,
    })
    const stop = new AbortController()
    const ended = Promise.allSettled([controller.follow(stop.signal), controller.lead(stop.signal)])
    this.#running = { stop, ended }
    await clock.advance(1)
  }

  async stop(): Promise<void> {
    this.#running?.stop.abort(new Error('killed'))
    if (this.#running !== undefined) await settled(this.clock, this.#running.ended)
    this.#running = undefined
  }

  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) await this.clock.advance(1_000)
  }

  async createPod(name: string, extra: { metadata?: object; spec?: object } = {}): Promise<Pod> {
    const metadata = { name, namespace: 'default', labels: { app: 'web' }, ...extra.metadata }
    const spec = { containers: [{ name: 'main', image: 'web:1' }], ...extra.spec }
    await this.do(this.kube.create(pods, { metadata, spec }))
    await this.pass(5)
    return this.do(this.kube.get(pods, { namespace: 'default', name }))
  }

  async evacuate(
    pod: Pod,
    spec: Partial<EvacuationSpec> = {},
    intents: readonly string[] = ['drill.example.com'],
  ): Promise<void> {
    const podRef = { name: pod.metadata.name, uid: pod.metadata.uid }
    const finalizers = intents.map(instigatorFinalizer)
    const metadata = { name: evacuationName(podRef), namespace: 'default', finalizers }
    const evacuation = { ...evacuationType, metadata, spec: { podRef, progressDeadlineSeconds: 1_800, ...spec } }
    await this.do(this.kube.create(evacuations, evacuation))
    await this.clock.advance(1)
  }

  async evacuationOf(pod: Pod): Promise<Evacuation | undefined> {
    const podRef = { name: pod.metadata.name, uid: pod.metadata.uid }
    return this.do(this.kube.get(evacuations, { namespace: 'default', name: evacuationName(podRef) })).catch(
      undefinedIfGone,
    )
  }

  async podNamed(name: string): Promise<Pod | undefined> {
    return this.do(this.kube.get(pods, { namespace: 'default', name })).catch(undefinedIfGone)
  }

  /** Sets the status as an evacuator would, or as whoever has the right. */
  async setStatus(pod: Pod, status: object): Promise<void> {
    const name = evacuationName({ name: pod.metadata.name, uid: pod.metadata.uid })
    const key = { namespace: 'default', name }
    await this.do(this.kube.patch(evacuations, key, { type: 'merge', body: { status } }, { subresource: 'status' }))
    await this.clock.advance(1)
  }

  get evictions(): number {
    return this.writes.filter(({ path }) => path.endsWith('/eviction')).length
  }

  /** Waits for a request in virtual time. */
  do<T>(promise: Promise<T>): Promise<T> {
    return settled(this.clock, promise)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
    await this.cluster[Symbol.asyncDispose]()
  }
}

async function settled<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  return untilSettled(promise, () => clock.advance(1))
}

function undefinedIfGone(error: unknown): undefined {
  if (!isKubeError(error, 'notFound')) throw error
}

function recorded(transport: Transport, writes: TransportRequest[]): Transport {
  return {
    request: (request) => {
      if (request.method !== 'GET') writes.push(request)
      return transport.request(request)
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  }
}
