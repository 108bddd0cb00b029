import { objectsOf, nodesOf } from '../../kube/watch/wakes.ts'
import { runControlLoop } from '../../runtime/control-loop.ts'
import { mailboxNameOf, nodeOfMailbox, reportOf, shutdownThatMayGo } from '../../api/maintenance/agent-mailbox.ts'
import type { Lease } from '../../api/kubernetes/coordination.ts'
import type { Node } from '../../api/kubernetes/core.ts'
import type { NodeMaintenance } from '../../api/maintenance/node-maintenance.ts'
import {
  nodeOfShutdownName,
  shutdownMaintenanceName,
  shutdownMarkOf,
} from '../../api/maintenance/shutdown-maintenance.ts'
import type { ClusterEvent } from '../../kube/events/cluster-event.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import type { Informer } from '../../kube/watch/informer.ts'
import { NodesWaitedFor } from '../../kube/watch/nodes-waited-for.ts'
import type { Controller } from '../../runtime/controller.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { type Next, type QueueMetrics, type Reconcile } from '../../runtime/work-queue.ts'
import { decideShutdown, inProgressOf, type Machine, type ShutdownView } from './decide-shutdown.ts'
import type { ShutdownMetrics } from './metrics.ts'
import type { ShutdownSettings } from './shutdown-settings.ts'
import { ShutdownWork } from './shutdown-work.ts'

export interface ShutdownControllerOptions extends InformerParts {
  readonly queueMetrics: QueueMetrics
  readonly shutdownMetrics: ShutdownMetrics
  readonly events: { record(event: ClusterEvent): void }
  /** Lifeboat's own, where the mailboxes are. */
  readonly namespace: string
  /** All of them; another controller runs it. */
  readonly mailboxes: Informer<Lease>
  /** The same. Undefined: Lifeboat does not drain, and no shutdown is held up. */
  readonly maintenances: Informer<NodeMaintenance> | undefined
  readonly settings: ShutdownSettings
}

const concurrency = 8
const settled: Next = { kind: 'settled' }

/** Drains nodes whose machines go down, and tells their agents when nothing holds the shutdown any more (KEP-4212). */
export class ShutdownController implements Controller {
  readonly name = 'shutdowns'
  readonly #options: ShutdownControllerOptions

  constructor(options: ShutdownControllerOptions) {
    this.#options = options
  }

  /** What it knows others follow. */
  follow(signal: AbortSignal): Promise<void> {
    return untilAborted(signal)
  }

  async synced(): Promise<void> {
    const { mailboxes, maintenances } = this.#options
    await Promise.all([mailboxes.synced(), maintenances?.synced()])
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { mailboxes, maintenances } = this.#options
    using waitedFor = new NodesWaitedFor(this.#options)
    const work = new ShutdownWork(this.#options)
    const concerned = mailboxes.list().filter(concernsShutdown)
    const wakes = [
      objectsOf({ subscribe: (handler) => mailboxes.subscribe(handler), list: () => concerned }, nodeOfMailbox),
      ...(maintenances === undefined ? [] : [objectsOf(maintenances, nodeOf)]),
      nodesOf(waitedFor, (node) => [node]),
    ]
    const reconcile: Reconcile = (node, stop) => this.#reconcile(node, { waitedFor, work }, stop)
    await runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
  }

  async #reconcile(
    node: string,
    { waitedFor, work }: { readonly waitedFor: NodesWaitedFor; readonly work: ShutdownWork },
    signal: AbortSignal,
  ): Promise<Next> {
    const { namespace, mailboxes } = this.#options
    const mailbox = mailboxes.get({ namespace, name: mailboxNameOf(node) })
    const view = this.#view(node, mailbox)
    let step = decideShutdown(view)
    // The node is looked up only here: kubelets write to it all the time.
    if (step.kind === 'wait' && step.reason === 'machineReturns') {
      const found = await waitedFor.get(node, node, signal)
      step = decideShutdown({ ...view, machine: found === undefined ? undefined : machineOf(found) })
    } else waitedFor.forget(node)
    await work.apply({ view, mailbox, step, isInProgress: inProgressOf(view) }, signal)
    return settled
  }

  #view(node: string, mailbox: Lease | undefined): ShutdownView {
    const { maintenances, settings } = this.#options
    const report = mailbox === undefined ? undefined : reportOf(mailbox)
    return {
      node,
      // An agent speaks for its own node alone.
      report: report?.node === node ? report : undefined,
      mayGo: mailbox === undefined ? undefined : shutdownThatMayGo(mailbox),
      maintenance: maintenances?.get({ name: shutdownMaintenanceName(node) }),
      machine: undefined,
      completeAfterReboot: settings.completeAfterReboot,
      isOn: maintenances !== undefined,
    }
  }
}

/** Thousands of nodes never go down while this runs. */
function concernsShutdown(mailbox: Lease): boolean {
  return shutdownThatMayGo(mailbox) !== undefined || reportOf(mailbox)?.shutdown?.going !== undefined
}

/** Also of one that another client made: when it goes, the name is free. */
function nodeOf(maintenance: NodeMaintenance): string | undefined {
  return shutdownMarkOf(maintenance)?.node ?? nodeOfShutdownName(maintenance.metadata.name)
}

function machineOf({ status }: Node): Machine {
  const isReady = (status?.conditions ?? []).some(
    (condition) => condition.type === 'Ready' && condition.status === 'True',
  )
  return { isReady, bootID: status?.nodeInfo?.bootID ?? '' }
}
