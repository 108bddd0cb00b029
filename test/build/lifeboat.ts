import { Registry } from 'prom-client'
import { featureGateDefaults, type FeatureGates } from '../../src/api/feature-gates.ts'
import { evacuationName } from '../../src/api/evacuation/evacuation-name.ts'
import { evacuations, evacuationType } from '../../src/api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../../src/api/evacuation/instigator-finalizers.ts'
import type { Pod } from '../../src/api/kubernetes/core.ts'
import { pods } from '../../src/api/kubernetes/resources.ts'
import { evacuationGroup } from '../../src/api/names.ts'
import { inProcessServing } from '../../src/cli/demo/in-process-serving.ts'
import { builtInAdmission } from '../../src/embedded/server/admission/built-in-admission.ts'
import { InProcessWebhooks } from '../../src/embedded/server/admission/webhooks/webhook-caller.ts'
import { openEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/cluster.ts'
import type { Kube } from '../../src/kube/client/client.ts'
import type { Transport } from '../../src/kube/client/transport.ts'
import type { ShutdownSettings } from '../../src/maintenance/shutdown/shutdown-settings.ts'
import type { DeschedulingSettings } from '../../src/manager/descheduling/descheduling-controller.ts'
import { install } from '../../src/manager/install/install.ts'
import { installation, userOfServiceAccount } from '../../src/manager/install/installation-names.ts'
import { openManager, type Manager, type ManagerOptions } from '../../src/manager/run/manager.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { seededRandom } from '../../src/runtime/random.ts'
import { VirtualClock } from '../../src/runtime/virtual-clock.ts'
import { buildKube } from './kube.ts'

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] }
const account = {
  name: userOfServiceAccount(installation.namespace),
  groups: ['system:serviceaccounts', `system:serviceaccounts:${installation.namespace}`, 'system:authenticated'],
}

export interface ManagerChoices {
  readonly gates?: Partial<FeatureGates>
  /** Also the host in the URL of its webhooks: `lifeboat` if not given. */
  readonly identity?: string
  /** Wraps what it reaches the cluster by, to count or to break. */
  readonly wrap?: (transport: Transport) => Transport
  readonly rights?: ManagerOptions['registrar']['rights']
  readonly log?: ManagerOptions['log']
  readonly controllerEvictTimeoutMs?: number
  readonly descheduling?: DeschedulingSettings
  readonly shutdowns?: ShutdownSettings
}

/** An embedded cluster in virtual time on which Lifeboat is installed, and managers as many as a test wants. */
export interface LifeboatGround extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly cluster: EmbeddedCluster
  /** Calls handlers within the process, by the URLs that configurations name. */
  readonly webhooks: InProcessWebhooks
  readonly admin: Kube
  readonly adminTransport: Transport
  open(choices?: ManagerChoices): Promise<OpenedManager>
  /** As SIGTERM. */
  stop(opened: OpenedManager): Promise<void>
  /** In steps so small that whatever one moment begins is over at the next. */
  pass(milliseconds: number): Promise<void>
  /** In the namespace default; it runs when this resolves, if there is a node. */
  createPod(name: string, annotations?: Readonly<Record<string, string>>): Promise<Pod>
  /** As an admin who wants the pod gone. */
  evacuate(pod: Pod): Promise<void>
  podNames(): string[]
  evacuationCount(): number
  /** Lets time pass until the promise settles. */
  until<T>(promise: Promise<T>, limitMs?: number): Promise<T>
}

export interface OpenedManager extends AsyncDisposable {
  readonly manager: Manager
  readonly registry: Registry
  /** As SIGKILL: from now on nothing that it sends arrives, and nobody answers its webhooks. */
  kill(): void
}

const stepMs = 50
const limitDefaultMs = 120_000

export async function openLifeboatGround(
  options: {
    readonly nodes?: number
    readonly installed?: boolean
    readonly seed?: number
    /** False: an API server by itself. */
    readonly controllers?: boolean
  } = {},
): Promise<LifeboatGround> {
  const clock = new VirtualClock()
  const webhooks = new InProcessWebhooks()
  const until = <T>(promise: Promise<T>, limitMs = limitDefaultMs) => settled(clock, promise, limitMs)
  const cluster = await until(
    openEmbeddedCluster({
      clock,
      random: seededRandom(options.seed ?? 1),
      log: silentLog,
      nodes: options.nodes ?? 0,
      admission: builtInAdmission,
      webhookCaller: webhooks,
      ...(options.controllers === false ? { controllers: [] } : {}),
    }),
  )
  const adminTransport = cluster.transport(admin)
  const kube = buildKube(adminTransport, clock)
  if (options.installed !== false) await until(install({ kube, clock }, installation.namespace))
  const opened: OpenedManager[] = []
  return {
    clock,
    cluster,
    webhooks,
    admin: kube,
    adminTransport,
    until,
    createPod: async (name, annotations = {}) => {
      const spec = { containers: [{ name: 'main', image: 'web:1' }] }
      const metadata = { name, namespace: 'default', annotations }
      await until(kube.create(pods, { metadata, spec }))
      await clock.advance(5_000)
      return until(kube.get(pods, { namespace: 'default', name }))
    },
    evacuate: async (pod) => {
      const podRef = { name: pod.metadata.name, uid: pod.metadata.uid }
      const finalizers = [instigatorFinalizer('drill.example.com')]
      const metadata = { name: evacuationName(podRef), namespace: 'default', finalizers }
      const spec = { podRef, progressDeadlineSeconds: 1_800 }
      await until(kube.create(evacuations, { ...evacuationType, metadata, spec }))
    },
    podNames: () => cluster.store.list('pods').map(({ metadata }) => metadata.name),
    evacuationCount: () => cluster.store.count(`evacuations.${evacuationGroup}`),
    stop: (manager) => until(Promise.resolve(manager[Symbol.asyncDispose]())),
    pass: async (milliseconds) => {
      for (let leftMs = milliseconds; leftMs > 0; leftMs -= stepMs) await clock.advance(Math.min(stepMs, leftMs))
    },
    open: async (choices = {}) => {
      const manager = await until(openOne({ clock, cluster, webhooks }, choices))
      opened.push(manager)
      return manager
    },
    [Symbol.asyncDispose]: async () => {
      for (const manager of opened) await until(Promise.resolve(manager[Symbol.asyncDispose]()))
      await until(Promise.resolve(cluster[Symbol.asyncDispose]()))
    },
  }
}

async function settled<T>(clock: VirtualClock, promise: Promise<T>, limitMs: number): Promise<T> {
  const state = { isSettled: false }
  const note = () => {
    state.isSettled = true
  }
  promise.then(note, note)
  for (let passedMs = 0; !state.isSettled && passedMs <= limitMs; passedMs += stepMs) {
    await clock.advance(passedMs === 0 ? 0 : stepMs)
  }
  if (!state.isSettled) throw new Error(`nothing happened within ${limitMs} ms of virtual time`)
  return promise
}

type Ground = Pick<LifeboatGround, 'clock' | 'cluster' | 'webhooks'>

async function openOne({ clock, cluster, webhooks }: Ground, choices: ManagerChoices): Promise<OpenedManager> {
  const { identity = 'lifeboat', wrap = (transport) => transport } = choices
  const life = { isOver: false }
  const registry = new Registry()
  const serving = inProcessServing(webhooks, identity)
  const own = mortal(wrap(cluster.transport(account)), life)
  const rights = choices.rights ?? 'createAndDelete'
  const manager = await openManager({
    transport: own,
    urgentTransport: own,
    registrar: { transport: rights === 'updateOnly' ? own : mortal(cluster.transport(admin), life), rights },
    clock,
    random: seededRandom(1),
    log: choices.log ?? silentLog,
    gates: { ...featureGateDefaults, ...choices.gates },
    namespace: installation.namespace,
    identity,
    webhooks: serving,
    registry,
    controllerEvictTimeoutMs: choices.controllerEvictTimeoutMs ?? 60_000,
    ...(choices.descheduling === undefined ? {} : { descheduling: choices.descheduling }),
    ...(choices.shutdowns === undefined ? {} : { shutdowns: choices.shutdowns }),
  })
  return {
    manager,
    registry,
    kill: () => {
      life.isOver = true
      serving.close()
    },
    [Symbol.asyncDispose]: async () => {
      if (!life.isOver) await manager[Symbol.asyncDispose]()
    },
  }
}

/** After its end a process sends nothing, and hears nothing: its requests hang for ever. */
function mortal(transport: Transport, life: { readonly isOver: boolean }): Transport {
  const never = new Promise<never>(() => {})
  return {
    request: async (request) => {
      if (life.isOver) return never
      const response = await transport.request(request)
      return life.isOver ? never : response
    },
    watch: (request) => (life.isOver ? never : transport.watch(request)),
    close: () => transport.close(),
  }
}
