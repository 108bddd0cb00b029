import {
  buildMailbox,
  mailboxNameOf,
  renderReport,
  reportOf,
  shutdownThatMayGo,
  wantedOf,
  type AgentReport,
  type StaticPodsReport,
} from '../api/maintenance/agent-mailbox.ts'
import type { ShutdownReport } from '../api/maintenance/agent-shutdown.ts'
import type { Lease } from '../api/kubernetes/coordination.ts'
import { leases } from '../api/kubernetes/resources.ts'
import { annotations } from '../api/names.ts'
import { isKubeError, unlessNotFound } from '../kube/client/errors.ts'
import type { InformerParts } from '../kube/watch/informer-pool.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { BackoffOptions } from '../runtime/backoff.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { WorkQueue, type Next } from '../runtime/work-queue.ts'
import type { ShutdownKeeper } from './shutdown/shutdown-keeper.ts'
import type { ManifestFolder } from './static-pods/manifest-folder.ts'
import { keepStaticPods } from './static-pods/static-pod-keeper.ts'

export interface AgentOptions extends InformerParts {
  /** Lifeboat's own, where the mailboxes are. */
  readonly namespace: string
  readonly node: string
  /** The pod that this runs in. */
  readonly pod: { readonly name: string; readonly uid: string }
  readonly bootID: string
  /** Undefined: it does not look after static pods. */
  readonly manifests: ManifestFolder | undefined
  /** Undefined: it does not look after shutdowns of the machine. */
  readonly shutdown?: ShutdownKeeper | undefined
}

/** As often as the kubelet looks at its folder again; only while something is parked, and without a request. */
const lookEveryMs = 20_000
/** A machine that goes down does not wait for long. */
const backoff: BackoffOptions = { initialMs: 200, maxMs: 15_000, jitter: 0.1 }

/** A watch that died in silence is found out after minutes. A machine that waits to go down should not wait for that. */
const askEveryMs = 60_000

/** What an agent does, each by itself: a write that hangs must not keep it from letting a shutdown continue. */
const duties = ['staticPods', 'shutdown', 'tell', 'ask'] as const
type Duty = (typeof duties)[number]

/** What runs on a node: does what the mailbox of the node asks for, and says there what it has done. */
export class Agent {
  readonly #options: AgentOptions
  readonly #mailboxes: Informer<Lease>
  readonly #queue: WorkQueue
  #staticPods: StaticPodsReport | undefined
  #shutdown: ShutdownReport | undefined
  /** The shutdown that may continue, where the watch has not shown it. */
  #asked: string | undefined

  constructor(options: AgentOptions) {
    this.#options = options
    const { namespace, node, clock, random, log } = options
    const selection = { namespace, fieldSelector: `metadata.name=${mailboxNameOf(node)}` }
    this.#mailboxes = new Informer({ ...options, resource: leases, selection })
    const reconcile = (duty: string, signal: AbortSignal) => this.#reconcile(duty as Duty, signal)
    const concurrency = duties.length
    this.#queue = new WorkQueue({ name: 'agent', clock, random, log, concurrency, reconcile, backoff })
  }

  async run(signal: AbortSignal): Promise<void> {
    const wake = () => (['staticPods', 'shutdown', 'tell'] satisfies Duty[]).forEach((duty) => this.#queue.add(duty))
    using _mailbox = this.#mailboxes.subscribe(wake)
    const following = this.#mailboxes.run(signal)
    // Before it is known what is wanted, nothing is touched; nor what the agent before this one said of a shutdown.
    await Promise.race([this.#mailboxes.synced(), untilAborted(signal)])
    wake()
    this.#queue.start(signal)
    const watching = this.#options.shutdown?.follow(() => this.#queue.add('shutdown'), signal)
    await untilAborted(signal)
    await this.#queue.stop()
    await Promise.all([following, watching])
  }

  async #reconcile(duty: Duty, signal: AbortSignal): Promise<Next> {
    switch (duty) {
      case 'staticPods':
        return await this.#keepStaticPods()
      case 'shutdown':
        return await this.#keepShutdown(signal)
      case 'tell':
        await this.#tell(signal)
        return { kind: 'settled' }
      case 'ask':
        return await this.#ask(signal)
      default:
        return duty satisfies never
    }
  }

  async #keepStaticPods(): Promise<Next> {
    const { clock, manifests } = this.#options
    if (manifests === undefined) return { kind: 'settled' }
    const mailbox = this.#mailbox()
    this.#staticPods = await keepStaticPods(manifests, mailbox === undefined ? undefined : wantedOf(mailbox))
    this.#queue.add('tell')
    const { parked, problems } = this.#staticPods
    const isBusy = parked.length > 0 || problems.length > 0
    return isBusy ? { kind: 'again', atMs: clock.nowMs() + lookEveryMs } : { kind: 'settled' }
  }

  async #keepShutdown(signal: AbortSignal): Promise<Next> {
    const { bootID, shutdown } = this.#options
    if (shutdown === undefined) return { kind: 'settled' }
    const mailbox = this.#mailbox()
    const report = mailbox === undefined ? undefined : reportOf(mailbox)
    // What was said before the machine booted is about a shutdown that is over.
    const written = report?.bootID === bootID ? report.shutdown : undefined
    const mayGo = this.#asked ?? (mailbox === undefined ? undefined : shutdownThatMayGo(mailbox))
    const look = await shutdown.look({ written, mayGo }, signal)
    this.#shutdown = look.report
    this.#queue.add('tell')
    const { going } = look.report
    if (going?.id !== this.#asked) this.#asked = undefined
    if (going?.phase === 'Signalled') this.#queue.addAfter('ask', askEveryMs)
    return { kind: 'again', atMs: look.lookAtMs }
  }

  /** The one request that nothing has called for, and only while the machine waits to go down. */
  async #ask(signal: AbortSignal): Promise<Next> {
    const { kube, namespace, node } = this.#options
    const going = this.#shutdown?.going
    if (going?.phase !== 'Signalled' || this.#asked === going.id) return { kind: 'settled' }
    const mailbox = await unlessNotFound(kube.get(leases, { namespace, name: mailboxNameOf(node) }, { signal }))
    if (mailbox !== undefined && shutdownThatMayGo(mailbox) === going.id) {
      this.#asked = going.id
      this.#queue.add('shutdown')
    }
    return { kind: 'settled' }
  }

  #mailbox(): Lease | undefined {
    const { namespace, node } = this.#options
    return this.#mailboxes.get({ namespace, name: mailboxNameOf(node) })
  }

  /** Undefined: a part of it was not looked at yet. */
  #report(): AgentReport | undefined {
    const { node, pod, bootID, manifests, shutdown } = this.#options
    if (manifests !== undefined && this.#staticPods === undefined) return undefined
    if (shutdown !== undefined && this.#shutdown === undefined) return undefined
    return {
      node,
      pod,
      bootID,
      ...(this.#staticPods === undefined ? {} : { staticPods: this.#staticPods }),
      ...(this.#shutdown === undefined ? {} : { shutdown: this.#shutdown }),
    }
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { kube, namespace, pod } = this.#options
    const report = this.#report()
    if (report === undefined) return
    const mailbox = this.#mailbox()
    const text = renderReport(report)
    if (mailbox?.metadata.annotations?.[annotations.agentReport] === text) return
    try {
      if (mailbox === undefined) {
        await kube.create(leases, buildMailbox(namespace, report), { signal })
        return
      }
      const { uid } = mailbox.metadata
      const body = {
        metadata: { uid, annotations: { [annotations.agentReport]: text } },
        spec: { holderIdentity: pod.name },
      }
      await kube.patch(leases, { namespace, name: mailboxNameOf(report.node) }, { type: 'merge', body }, { signal })
    } catch (error) {
      // The watch shows it soon, and wakes us.
      if (!isKubeError(error, 'notFound', 'conflict', 'alreadyExists')) throw error
    }
  }
}
