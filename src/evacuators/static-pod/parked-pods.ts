import { objectsOf, nodesOf } from '../../kube/watch/wakes.ts'
import { runControlLoop } from '../../runtime/control-loop.ts'
import {
  mailboxNameOf,
  nodeOfMailbox,
  renderWanted,
  reportOf,
  wantedOf,
  type AgentWanted,
} from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import { apiVersionOf, leases, nodes, pods } from '../../api/kubernetes/resources.ts'
import { annotations, labels } from '../../api/names.ts'
import { keyOf } from '../../kube/client/client.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import { isKubeError, unlessNotFound } from '../../kube/client/errors.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import type { Controller } from '../../runtime/controller.ts'
import { type Next, type QueueMetrics, type Reconcile } from '../../runtime/work-queue.ts'
import { NodesWaitedFor } from '../../kube/watch/nodes-waited-for.ts'
import { decideRelease, isBusy } from './decide-release.ts'
import { manifestSuperseded, newlySuperseded } from './events.ts'

export interface ParkedPodsOptions extends InformerParts {
  readonly queueMetrics: QueueMetrics
  readonly events: { record(event: ClusterEvent): void }
  /** Lifeboat's own, where the mailboxes are. */
  readonly namespace: string
  /** With the gate off nothing stays parked. */
  readonly isOn: boolean
}

const concurrency = 8
/** A static pod that still terminates is not brought back: a kubelet may lose a pod that it starts and ends at once. */
const mirrorLeftMs = 2_000
const settled: Next = { kind: 'settled' }

/** Brings static pods back when the maintenance of their node is over. Follows the mailboxes of all nodes. */
export class ParkedPods implements Controller {
  readonly name = 'static-pods/parked'
  readonly mailboxes: Informer<Lease>
  readonly #options: ParkedPodsOptions

  constructor(options: ParkedPodsOptions) {
    this.#options = options
    const selection = { namespace: options.namespace, labelSelector: labels.nodeAgent }
    this.mailboxes = new Informer({ ...options, resource: leases, selection, project: slim })
  }

  follow(signal: AbortSignal): Promise<void> {
    return this.mailboxes.run(signal)
  }

  synced(): Promise<void> {
    return this.mailboxes.synced()
  }

  async lead(signal: AbortSignal): Promise<void> {
    using waitedFor = new NodesWaitedFor(this.#options)
    using _superseded = this.mailboxes.subscribe((change) => void this.#tellOfSuperseded(change, signal))
    const wakes = [
      objectsOf(this.mailboxes, ({ metadata }) => metadata.name),
      nodesOf(waitedFor, (node) => [mailboxNameOf(node)]),
    ]
    const reconcile: Reconcile = (name, stop) => this.#reconcile(name, waitedFor, stop)
    await runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
  }

  async #reconcile(name: string, waitedFor: NodesWaitedFor, signal: AbortSignal): Promise<Next> {
    const { clock, namespace, isOn } = this.#options
    const mailbox = this.mailboxes.get({ namespace, name })
    const nodeName = mailbox === undefined ? undefined : nodeOfMailbox(mailbox)
    if (mailbox === undefined || nodeName === undefined) {
      waitedFor.forget(name)
      return settled
    }
    await this.#adopt(mailbox, nodeName, signal)
    if (!isBusy(mailbox)) {
      waitedFor.forget(name)
      return settled
    }
    const node = isOn ? await waitedFor.get(name, nodeName, signal) : undefined
    const decision = decideRelease(mailbox, node, clock.nowMs())
    switch (decision.kind) {
      case 'nothing':
        return settled
      case 'want':
        await this.#write(mailbox, decision.wanted, signal)
        return settled
      case 'release':
        return await this.#release(mailbox, decision.pods, signal)
      default:
        return decision satisfies never
    }
  }

  async #release(mailbox: Lease, released: readonly string[], signal: AbortSignal): Promise<Next> {
    const { clock, log } = this.#options
    const parked = reportOf(mailbox)?.staticPods?.parked ?? []
    const ending = released.filter((pod) => parked.includes(pod))
    const areThere = await Promise.all(ending.map((pod) => this.#isThere(pod, signal)))
    const kept = ending.filter((_, index) => areThere[index] === true)
    const before = wantedOf(mailbox)?.park ?? []
    if (kept.length < before.length) {
      await this.#write(mailbox, { park: before.filter(({ pod }) => kept.includes(pod)) }, signal)
      log.info({ mailbox: mailbox.metadata.name, pods: released.length - kept.length }, 'static pods may come back')
    }
    return kept.length === 0 ? settled : { kind: 'again', atMs: clock.nowMs() + mirrorLeftMs }
  }

  async #isThere(pod: string, signal: AbortSignal): Promise<boolean> {
    const [namespace = '', name = ''] = pod.split('/')
    return (await unlessNotFound(this.#options.kube.get(pods, { namespace, name }, { signal }))) !== undefined
  }

  /** A node that is deleted takes its mailbox along. */
  async #adopt(mailbox: Lease, nodeName: string, signal: AbortSignal): Promise<void> {
    if ((mailbox.metadata.ownerReferences ?? []).length > 0) return
    const node = await unlessNotFound(this.#options.kube.get(nodes, { name: nodeName }, { signal }))
    if (node?.metadata.uid === undefined) return
    const owner = { apiVersion: apiVersionOf(nodes), kind: nodes.kind, name: nodeName, uid: node.metadata.uid }
    await this.#patch(mailbox, { ownerReferences: [owner] }, signal)
  }

  async #write(mailbox: Lease, wanted: AgentWanted, signal: AbortSignal): Promise<void> {
    const change = { annotations: { [annotations.agentWanted]: renderWanted(wanted) } }
    await this.#patch(mailbox, { ...change, resourceVersion: mailbox.metadata.resourceVersion }, signal)
  }

  async #patch(mailbox: Lease, metadata: object, signal: AbortSignal): Promise<void> {
    const body = { metadata: { ...metadata, uid: mailbox.metadata.uid } }
    try {
      await this.#options.kube.patch(leases, keyOf(mailbox), { type: 'merge', body }, { signal })
    } catch (error) {
      // It has changed, which the watch shows soon, or has gone.
      if (!isKubeError(error, 'notFound', 'conflict')) throw error
    }
  }

  async #tellOfSuperseded(change: Change<Lease>, signal: AbortSignal): Promise<void> {
    const { kube, events, log } = this.#options
    const superseded = change.kind === 'updated' ? newlySuperseded(change.previous, change.object) : []
    const report = reportOf(change.object)
    if (superseded.length === 0 || report === undefined) return
    try {
      const node: Node = await kube.get(nodes, { name: report.node }, { signal })
      for (const pod of superseded) events.record(manifestSuperseded(node, pod, report.staticPods?.folder ?? ''))
    } catch (error) {
      log.warn({ node: report.node, error: String(error) }, 'cannot tell of a manifest that was replaced')
    }
  }
}

/** Thousands of nodes have one each. */
function slim({ metadata }: Lease): Lease {
  const { name, namespace, uid, resourceVersion, labels: all, annotations: both, ownerReferences } = metadata
  return {
    metadata: {
      name,
      namespace,
      uid,
      resourceVersion,
      ...(all === undefined ? {} : { labels: all }),
      ...(both === undefined ? {} : { annotations: both }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
  }
}
