import { Registry } from 'prom-client'
import { customResourceDefinitions } from '../../src/api/schema/custom-resource-definitions.ts'
import { evacuations, evacuationType } from '../../src/api/evacuation/evacuation.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { featureGateDefaults } from '../../src/api/feature-gates.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import type { KubernetesObject } from '../../src/api/kubernetes/meta.ts'
import type { Resource } from '../../src/api/kubernetes/resources.ts'
import { resolveEvacuators } from '../../src/api/evacuation/resolve-evacuators.ts'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster.ts'
import { claimsOf, workloadEvacuatorsFor } from '../../src/evacuators/workload/workload-evacuators.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import { isKubeError } from '../../src/kube/client/errors.ts'
import { noKubeMetrics } from '../../src/kube/metrics.ts'
import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'
import { defaultShutdownSettings } from '../../src/maintenance/shutdown/shutdown-settings.ts'
import { listControllers } from '../../src/manager/run/controllers.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'
import { noQueueMetrics } from '../../src/runtime/work-queue.ts'
import { buildKube } from '../build/kube.ts'
import { untilSettled } from '../build/until-settled.ts'

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
export const namespace = 'default'

/** Looks at a write as it arrives; what it returns is called if the API server accepts it. */
export type Sees = (write: TransportRequest, ground: RandomGround) => () => void

/** An embedded cluster in virtual time with every controller of Lifeboat, whose writes somebody looks at as they arrive. */
export class RandomGround implements AsyncDisposable {
  readonly clock: VirtualClock
  readonly kube: Kube
  /** Workloads whose template somebody changed. */
  readonly rolled = new Set<string>()
  readonly deadNodes = new Set<string>()
  readonly #cluster: EmbeddedCluster
  readonly #stop = new AbortController()
  #ended: Promise<unknown> = Promise.resolve()

  private constructor(clock: VirtualClock, cluster: EmbeddedCluster) {
    this.clock = clock
    this.#cluster = cluster
    this.kube = buildKube(cluster.transport(admin), clock)
  }

  static async open(nodes: number, sees: Sees): Promise<RandomGround> {
    const clock = new VirtualClock()
    const random = seededRandom(1)
    const opening = openEmbeddedCluster({ clock, random, log: silentLog, nodes, admission: builtInAdmission })
    const cluster = await until(clock, opening)
    const ground = new RandomGround(clock, cluster)
    for (const body of customResourceDefinitions()) {
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
      await ground.do(cluster.transport(admin).request({ method: 'POST', path, body }))
    }
    await clock.advance(3_000)
    ground.#start((write) => sees(write, ground))
    await clock.advance(10)
    return ground
  }

  #start(sees: (write: TransportRequest) => () => void): void {
    const own = this.#cluster.transport(admin)
    const watched: Transport = {
      request: async (request) => {
        if (request.method === 'GET') return own.request(request)
        const says = sees(request)
        const answer = await own.request(request)
        if (answer.status < 300) says()
        return answer
      },
      watch: (request) => own.watch(request),
      close: () => own.close(),
    }
    const { all: controllers } = listControllers({
      kube: buildKube(watched, this.clock),
      clock: this.clock,
      random: seededRandom(2),
      log: silentLog,
      events: { record: () => {} },
      registry: new Registry(),
      kubeMetrics: noKubeMetrics,
      queueMetrics: noQueueMetrics,
      gates: featureGateDefaults,
      namespace: 'lifeboat-system',
      controllerEvictTimeoutMs: 60_000,
      shutdowns: defaultShutdownSettings,
    })
    const { signal } = this.#stop
    this.#ended = Promise.allSettled(controllers.flatMap((one) => [one.follow(signal), one.lead(signal)]))
  }

  /** Waits for a request in virtual time. */
  do<T>(promise: Promise<T>): Promise<T> {
    return until(this.clock, promise)
  }

  /** Meddling may come too late: whatever it was about is gone. */
  async try(promise: Promise<unknown>): Promise<void> {
    await this.do(
      promise.catch((error: unknown) => {
        if (!isKubeError(error)) throw error
      }),
    )
  }

  /** What the cluster has now, without a request. */
  list<T extends KubernetesObject>(resource: Resource<T>): T[] {
    return this.#cluster.store.list(storeNameOf(resource)) as unknown as T[]
  }

  /** As an instigator would: with whoever claims the pod. */
  async evacuate(pod: Pod): Promise<void> {
    const podRef = { name: pod.metadata.name, uid: pod.metadata.uid }
    const claims = await this.do(
      claimsOf(workloadEvacuatorsFor(featureGateDefaults, 'lifeboat-system'), this.kube, pod),
    )
    const evacuators = resolveEvacuators(pod, claims)
    const finalizers = [instigatorFinalizer('drill.example.com')]
    const metadata = { name: evacuationName(podRef), namespace, finalizers }
    const spec = { podRef, evacuators, progressDeadlineSeconds: 600 }
    await this.try(this.kube.create(evacuations, { ...evacuationType, metadata, spec }))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the story is over'))
    await until(this.clock, this.#ended)
    await this.#cluster[Symbol.asyncDispose]()
  }
}

function storeNameOf({ group, plural }: Resource<KubernetesObject>): string {
  return group === '' ? plural : `${plural}.${group}`
}

async function until<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  return untilSettled(promise, () => clock.advance(1))
}
