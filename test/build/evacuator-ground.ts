import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { evacuations, type Evacuation, type EvacuationStatus } from '../../src/api/evacuation/evacuation.ts'
import type { Evacuator as Registration } from '../../src/api/evacuation/evacuator.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { podRefOf, type PodRef } from '../../src/api/evacuation/pod-reference.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import type { ClusterEvent } from '../../src/kube/events/cluster-event.ts'
import { isKubeError } from '../../src/kube/client/errors.ts'
import type { Transport, TransportRequest } from '../../src/kube/client/transport.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { VirtualClock } from '../../src/runtime/virtual-clock.ts'
import { buildServer } from './embedded-server.ts'
import { buildKube } from './kube.ts'
import { ownKinds } from './own-kinds.ts'

type StatusChange = { [Field in keyof EvacuationStatus]?: EvacuationStatus[Field] | null }

export interface EvacuateOptions {
  readonly registrations: readonly Registration[]
  readonly instigators?: readonly string[]
  readonly deadlineSeconds?: number
}

/** An embedded API server with the CRDs, on which tests play the controller by hand, in virtual time. */
export class EvacuatorGround {
  readonly clock: VirtualClock
  readonly kube: Kube
  readonly random: ReturnType<typeof buildServer>['random']
  /** As the admin who plays the controller: what it does is not in `requests`. */
  readonly controller: Kube
  /** Of the evacuator: verb and path, in order. */
  readonly requests: string[] = []
  readonly told: ClusterEvent[] = []
  readonly events = { record: (event: ClusterEvent) => void this.told.push(event) }
  /** Runs before each request of the evacuator; what it throws is its answer. */
  beforeRequest: (request: TransportRequest) => Promise<void> = async () => {}

  constructor() {
    const { clock, random, transport } = buildServer({ definitions: ownKinds() })
    this.clock = clock
    this.random = random
    this.controller = buildKube(transport, clock)
    this.kube = buildKube(this.#recorded(transport), clock)
  }

  /** What an evacuator needs to run here. */
  get parts() {
    const { kube, clock, random, events } = this
    return { kube, clock, random, events, log: silentLog }
  }

  /** A pod, and an Evacuation of it that nobody is active for. */
  async evacuate(name: string, options: EvacuateOptions): Promise<PodRef> {
    const pod = podRefOf(await this.createPod(name))
    await this.evacuateExisting(pod, options)
    return pod
  }

  async evacuateExisting(pod: PodRef, options: EvacuateOptions): Promise<void> {
    await this.controller.create(evacuations, {
      metadata: {
        ...keyOf(pod),
        finalizers: (options.instigators ?? ['maintenance.example.com']).map(
          (instigator) => `evacuation.coordination.k8s.io/instigator_${instigator}`,
        ),
      },
      spec: {
        podRef: { name: pod.name, uid: pod.uid },
        evacuators: [...options.registrations],
        progressDeadlineSeconds: options.deadlineSeconds ?? 1_800,
      },
    })
  }

  createPod(name: string, extra: Partial<Pod['metadata']> = {}): Promise<Pod> {
    const metadata = { namespace: 'shop', name, ...extra }
    return this.controller.create(pods, { metadata, spec: { containers: [{ name: 'main', image: 'vm' }] } })
  }

  /** What the controller writes when it gives the turn to a class. */
  async select(pod: PodRef, evacuatorClass: string): Promise<void> {
    await this.write(pod, {
      activeEvacuatorClass: evacuatorClass,
      activeEvacuatorCompleted: false,
      evacuationProgressTimestamp: new Date(this.clock.nowMs()).toISOString(),
      expectedEvacuationFinishTime: null,
      message: `Evacuator ${evacuatorClass} was selected`,
    })
  }

  async write(pod: PodRef, status: StatusChange): Promise<void> {
    const patch = { type: 'merge', body: { status } } as const
    await this.controller.patch(evacuations, keyOf(pod), patch, { subresource: 'status' })
    await this.clock.advance(0)
  }

  /** As the controller does when nobody wants the pod gone any more: intents are gone, then the object is deleted. */
  async cancel(pod: PodRef, holds: readonly string[] = []): Promise<void> {
    const finalizers = holds.map((hold) => `evacuation.coordination.k8s.io/instigator_${hold}`)
    await this.controller.patch(evacuations, keyOf(pod), { type: 'merge', body: { metadata: { finalizers } } })
    await this.controller.delete(evacuations, keyOf(pod))
    await this.clock.advance(0)
  }

  async removePod(pod: PodRef): Promise<void> {
    await this.controller.delete(pods, pod, { gracePeriodSeconds: 0 })
    await this.clock.advance(0)
  }

  async evacuation(pod: PodRef): Promise<Evacuation | undefined> {
    return await orUndefined(this.controller.get(evacuations, keyOf(pod)))
  }

  async status(pod: PodRef): Promise<Partial<EvacuationStatus>> {
    return (await this.evacuation(pod))?.status ?? {}
  }

  async pod(pod: PodRef): Promise<Pod | undefined> {
    return await orUndefined(this.controller.get(pods, pod))
  }

  /** How long ago the evacuation showed progress. */
  async silentMs(pod: PodRef): Promise<number> {
    const { evacuationProgressTimestamp = '' } = await this.status(pod)
    return this.clock.nowMs() - Date.parse(evacuationProgressTimestamp)
  }

  statusWrites(): number {
    return this.requests.filter((request) => request.startsWith('PATCH') && request.endsWith('/status')).length
  }

  #recorded(transport: Transport): Transport {
    return {
      request: async (request) => {
        await this.beforeRequest(request)
        this.requests.push(`${request.method} ${request.path}`)
        return await transport.request(request)
      },
      watch: (request) => transport.watch(request),
      close: () => transport.close(),
    }
  }
}

function keyOf(pod: PodRef) {
  return { namespace: pod.namespace, name: evacuationName(pod) }
}

async function orUndefined<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found
  } catch (error) {
    if (isKubeError(error, 'notFound')) return undefined
    throw error
  }
}
