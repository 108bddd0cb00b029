import {
  buildMailbox,
  mailboxNameOf,
  renderReport,
  wantedOf,
  type AgentReport,
  type AgentWanted,
} from '../api/agent-mailbox.ts'
import type { Lease } from '../api/kubernetes/coordination.ts'
import type { DeepReadonly } from '../api/kubernetes/meta.ts'
import { leases } from '../api/kubernetes/resources.ts'
import { annotations } from '../api/names.ts'
import { isKubeError } from '../kube/errors.ts'
import type { InformerParts } from '../kube/informer-pool.ts'
import { Informer } from '../kube/informer.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { WorkQueue, type Next } from '../runtime/work-queue.ts'
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
}

/** As often as the kubelet looks at its folder anew; only while something is parked, and without a request. */
const lookEveryMs = 20_000
const key = 'mailbox'

/** What runs on a node: does what the mailbox of the node asks for, and says there what it has done. */
export class Agent {
  readonly #options: AgentOptions
  readonly #mailboxes: Informer<Lease>

  constructor(options: AgentOptions) {
    this.#options = options
    const { namespace, node } = options
    const selection = { namespace, fieldSelector: `metadata.name=${mailboxNameOf(node)}` }
    this.#mailboxes = new Informer({ ...options, resource: leases, selection })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options
    const reconcile = (_key: string, stop: AbortSignal) => this.#reconcile(stop)
    const queue = new WorkQueue({ name: 'agent', clock, random, log, concurrency: 1, reconcile })
    using _mailbox = this.#mailboxes.subscribe(() => queue.add(key))
    const following = this.#mailboxes.run(signal)
    // Before it is known what is wanted, nothing is touched.
    await Promise.race([this.#mailboxes.synced(), untilAborted(signal)])
    queue.add(key)
    queue.start(signal)
    await untilAborted(signal)
    await queue.stop()
    await following
  }

  async #reconcile(signal: AbortSignal): Promise<Next> {
    const { clock, namespace, node } = this.#options
    const mailbox = this.#mailboxes.get({ namespace, name: mailboxNameOf(node) })
    const wanted = mailbox === undefined ? undefined : wantedOf(mailbox)
    const report = await this.#work(wanted)
    await this.#tell(mailbox, report, signal)
    const { parked = [], problems = [] } = report.staticPods ?? {}
    const isBusy = parked.length > 0 || problems.length > 0
    return isBusy ? { kind: 'again', atMs: clock.nowMs() + lookEveryMs } : { kind: 'settled' }
  }

  async #work(wanted: DeepReadonly<AgentWanted> | undefined): Promise<AgentReport> {
    const { node, pod, bootID, manifests } = this.#options
    const staticPods = manifests === undefined ? undefined : await keepStaticPods(manifests, wanted)
    return { node, pod, bootID, ...(staticPods === undefined ? {} : { staticPods }) }
  }

  async #tell(mailbox: DeepReadonly<Lease> | undefined, report: AgentReport, signal: AbortSignal): Promise<void> {
    const { kube, namespace, pod } = this.#options
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
