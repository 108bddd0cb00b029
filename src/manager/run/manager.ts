import type { Registry } from 'prom-client'
import { openAdmission, type ReviewHandlers } from '../../admission/admission.ts'
import { celDurationOf } from '../../admission/policies/evict-time-policy.ts'
import { prometheusAdmissionMetrics } from '../../admission/metrics.ts'
import type { FeatureGates } from '../../api/feature-gates.ts'
import type { Kube } from '../../kube/client/client.ts'
import { EventRecorder } from '../../kube/events/event-recorder.ts'
import { eventSinkOf } from '../../kube/events/event-sink.ts'
import { fencedTransport } from '../../kube/client/fenced-transport.ts'
import { LeaderElection } from '../../kube/lease/leader-election.ts'
import { prometheusKubeMetrics } from '../../kube/metrics.ts'
import type { Transport } from '../../kube/client/transport.ts'
import { defaultShutdownSettings, type ShutdownSettings } from '../../maintenance/shutdown/shutdown-settings.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { Controller } from '../../runtime/controller.ts'
import type { Log } from '../../runtime/log.ts'
import { prometheusQueueMetrics } from '../../runtime/queue-metrics.ts'
import type { Random } from '../../runtime/random.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { admissionObjects } from '../register/admission-objects.ts'
import { claimsLookup } from './claims-lookup.ts'
import { openClient, paceOfEvents } from './clients.ts'
import { listControllers } from './controllers.ts'
import type { DeschedulingSettings } from '../descheduling/descheduling-controller.ts'
import { installation } from '../install/installation-names.ts'
import { exposeEvents, exposeLeading } from './metrics.ts'
import { nodeLookup } from './node-lookup.ts'
import { Readiness } from './readiness.ts'
import { Registrar } from '../register/registrar.ts'
import { Registration, type RegistrarRights } from '../register/registration.ts'
import type { ServedWebhooks, WebhookServing } from './webhook-serving.ts'

export interface ManagerOptions {
  /** As Lifeboat's own service account. */
  readonly transport: Transport
  /** The same on connections of its own, for what must not wait behind a thousand evictions: webhooks and the Lease. */
  readonly urgentTransport: Transport
  /** Who tells the API server of webhooks and policies, and how far it may go: an admin, or Lifeboat's own account. */
  readonly registrar: { readonly transport: Transport; readonly rights: RegistrarRights }
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly gates: FeatureGates
  /** Lifeboat's own, where its Lease is. */
  readonly namespace: string
  /** Different for every process. */
  readonly identity: string
  readonly webhooks: WebhookServing
  /** One for each manager. */
  readonly registry: Registry
  readonly controllerEvictTimeoutMs: number
  /** Shutdowns of machines: with the default plan, and completed by an admin, if left out. */
  readonly shutdowns?: ShutdownSettings
  /** Undefined: no descheduler runs in this process. */
  readonly descheduling?: DeschedulingSettings
}

/** Closing it stops everything, takes out webhooks that lead here, and gives the Lease away. */
export interface Manager extends AsyncDisposable {
  /** Resolves when every cache is synced and the API server reaches the webhooks. */
  ready(): Promise<void>
  /** What that still waits for, one line each. */
  missing(): string[]
  /** Of these, all but being reached: behind a Service the API server only reaches who is ready. */
  missingToBeReached(): string[]
  isLeading(): boolean
  /** Rejects when a part failed in a way that only a new start can fix; never resolves. */
  readonly failed: Promise<never>
}

const limits = { withdrawWithinMs: 5_000, flushWithinMs: 2_000 }

/** Runs every controller and webhook that the gates allow. It resolves when all of it has begun; see ready(). */
export async function openManager(options: ManagerOptions): Promise<Manager> {
  const parts = assemble(options)
  const served = parts.handlers.size === 0 ? undefined : await options.webhooks.open(parts.handlers)
  return new RunningManager(options, parts, served)
}

interface Parts {
  readonly election: LeaderElection
  readonly controllers: readonly Controller[]
  readonly handlers: ReviewHandlers
  readonly events: EventRecorder
  readonly plainKube: Kube
  readonly registrarKube: { readonly plain: Kube; readonly fenced: Kube }
}

/** Everything behind the gates, in one place. Nothing of it does anything yet. */
function assemble(options: ManagerOptions): Parts {
  const { clock, random, log, registry, namespace, identity, gates } = options
  const kubeMetrics = prometheusKubeMetrics(registry)
  const client = (transport: Transport) => openClient({ transport, clock, random, metrics: kubeMetrics })
  const plainKube = client(options.urgentTransport)
  const election = new LeaderElection({
    kube: plainKube,
    clock,
    random,
    log,
    namespace,
    name: installation.lease,
    identity,
  })
  const fenced = (transport: Transport, mayWrite = () => true) =>
    client(fencedTransport(transport, () => election.isLeading() && mayWrite()))
  // Not fenced: what an event tells did happen, even if the Lease is another's by the time it is written.
  const events = new EventRecorder({
    sink: eventSinkOf(
      openClient({ transport: options.transport, clock, random, metrics: kubeMetrics, pace: paceOfEvents }),
    ),
    clock,
    random,
    log,
    component: 'lifeboat',
    instance: identity,
  })
  exposeEvents(registry, events)
  exposeLeading(registry, election)
  const shared = { clock, random, log, registry, gates, namespace }
  const admissionKube = client(options.urgentTransport)
  const { all: controllers, maintenances } = listControllers({
    ...shared,
    kube: fenced(options.transport),
    events,
    kubeMetrics,
    queueMetrics: prometheusQueueMetrics(registry, clock),
    controllerEvictTimeoutMs: options.controllerEvictTimeoutMs,
    shutdowns: options.shutdowns ?? defaultShutdownSettings,
    descheduling: options.descheduling && {
      settings: options.descheduling,
      kubeWhile: (mayWrite) => fenced(options.transport, mayWrite),
      leaseKube: plainKube,
      namespace,
      identity,
    },
  })
  return {
    election,
    events,
    plainKube,
    registrarKube: { plain: client(options.registrar.transport), fenced: fenced(options.registrar.transport) },
    controllers,
    // A webhook answers on every replica, leading or not.
    handlers: openAdmission({
      ...shared,
      kube: admissionKube,
      controllerEvictTimeoutMs: options.controllerEvictTimeoutMs,
      claims: claimsLookup({ ...shared, kube: admissionKube, events }),
      recentNode: nodeLookup({ clock, kube: admissionKube }),
      listNodes: async (signal) => (await maintenances?.listNodes(signal)) ?? [],
      metrics: prometheusAdmissionMetrics(registry),
    }),
  }
}

class RunningManager implements Manager {
  readonly failed: Promise<never>
  readonly #options: ManagerOptions
  readonly #parts: Parts
  readonly #served: ServedWebhooks | undefined
  readonly #readiness: Readiness
  readonly #registrar: Registrar
  readonly #stop = new AbortController()
  /** Ends before the rest: a registrar at work would put back what is being taken out. */
  readonly #stopRegistering = new AbortController()
  readonly #running: Promise<unknown>[] = []
  readonly #introduced = Promise.withResolvers<void>()
  #stopping: Promise<void> | undefined

  constructor(options: ManagerOptions, parts: Parts, served: ServedWebhooks | undefined) {
    this.#options = options
    this.#parts = parts
    this.#served = served
    this.#readiness = new Readiness([...parts.controllers.map(cacheOf), toldPart, webhookPart])
    const { clock, random, log, namespace, gates, registrar } = options
    const client = served === undefined ? undefined : (path: string) => served.client(path)
    const controllerEvictTimeout = celDurationOf(options.controllerEvictTimeoutMs)
    this.#registrar = new Registrar({
      registration: new Registration({
        rights: registrar.rights,
        objects: (evictTimeBy) => admissionObjects({ gates, namespace, client, evictTimeBy, controllerEvictTimeout }),
      }),
      kubes: { ...parts.registrarKube, probe: parts.plainKube },
      rights: registrar.rights,
      isServing: served !== undefined,
      random,
      clock,
      log,
      namespace,
      noteProblem: (why) => this.#readiness.note(webhookPart, why),
      isLedByAnother: () => parts.election.isLedByAnother(),
      noteTold: () => this.#readiness.fulfil(toldPart),
    })
    const failing = Promise.withResolvers<never>()
    this.failed = failing.promise
    // A caller that does not ask should not be told by a crash.
    this.failed.catch(() => {})
    this.#start((error) => failing.reject(error))
  }

  ready(): Promise<void> {
    return this.#readiness.complete()
  }

  missing(): string[] {
    return this.#readiness.missing()
  }

  missingToBeReached(): string[] {
    return this.#readiness.missing(webhookPart)
  }

  isLeading(): boolean {
    return this.#parts.election.isLeading()
  }

  #start(fail: (error: unknown) => void): void {
    const { controllers, election } = this.#parts
    const stop = this.#stop.signal
    const run = (part: Promise<unknown>) => {
      this.#running.push(part.catch((error: unknown) => (stop.aborted ? undefined : fail(error))))
    }
    for (const controller of controllers) {
      run(controller.follow(stop))
      void controller.synced().then(() => this.#readiness.fulfil(cacheOf(controller)))
    }
    run(this.#introduce())
    const served = this.#served
    if (served !== undefined) run(served.keepFresh(stop, () => this.#registrar.wake()))
    run(election.run(stop, (leading) => this.#lead(leading)))
    void this.#readiness.complete().then(() => this.#options.log.info({}, 'ready'))
  }

  async #introduce(): Promise<void> {
    if (!(await this.#registrar.introduce(this.#stopRegistering.signal))) return
    this.#readiness.fulfil(toldPart)
    this.#readiness.fulfil(webhookPart)
    this.#introduced.resolve()
  }

  async #lead(leading: AbortSignal): Promise<void> {
    await Promise.all([
      ...this.#parts.controllers.map((controller) => this.#leadOnceAble(controller, leading)),
      this.#registrar.keep(AbortSignal.any([leading, this.#stopRegistering.signal])),
      untilAborted(leading),
    ])
  }

  async #leadOnceAble(controller: Controller, leading: AbortSignal): Promise<void> {
    const able = controller.needsWebhooks === true ? this.#introduced.promise : undefined
    await Promise.race([Promise.all([controller.synced(), able]), untilAborted(leading)])
    if (!leading.aborted) await controller.lead(leading)
  }

  async #stopAll(): Promise<void> {
    const { clock } = this.#options
    this.#stopRegistering.abort(new Error('the manager stops'))
    // First, and while everything still answers: the API server should not meet a webhook that is gone.
    await withinMs(clock, limits.withdrawWithinMs, (signal) => this.#registrar.withdraw(signal))
    this.#stop.abort(new Error('the manager stops'))
    await Promise.all(this.#running)
    await withinMs(clock, limits.flushWithinMs, (signal) => this.#parts.events.close(signal))
    await this.#served?.[Symbol.asyncDispose]()
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }
}

const toldPart = 'the API server being told of the webhook'
const webhookPart = 'the API server reaching the webhook'

function cacheOf({ name }: Controller): string {
  return `the cache of ${name}`
}

async function withinMs(clock: Clock, timeoutMs: number, act: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const timeout = new AbortController()
  using _timer = clock.timer(timeoutMs, () => timeout.abort(new Error(`not done within ${timeoutMs} ms`)))
  await act(timeout.signal)
}
