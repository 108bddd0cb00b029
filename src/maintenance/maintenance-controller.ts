import type { Instigator } from '../evacuation-client/instigator.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Node } from '../api/kubernetes/core.ts'
import { nodeMaintenances, type NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import type { InformerParts } from '../kube/watch/informer-pool.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Controller } from '../runtime/controller.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import type { QueueMetrics } from '../runtime/work-queue.ts'
import { isUnderWay } from './plan/active.ts'
import { FollowedNodes } from './node/followed-nodes.ts'
import { MaintenanceWork } from './maintenance-work.ts'
import type { MaintenanceMetrics } from './metrics.ts'
import type { AgentKnowledge } from './plan/pods.ts'

export interface MaintenanceControllerOptions extends InformerParts {
  readonly events: { record(event: ClusterEvent): void }
  readonly queueMetrics: QueueMetrics
  readonly maintenanceMetrics: MaintenanceMetrics
  /** All of them; somebody else runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly nodePods: NodePods
  readonly instigator: Pick<Instigator, 'request' | 'withdraw'>
  /** The gate NodeMaintenanceAwareDaemonSet. */
  readonly daemonSetsLeave: boolean
  readonly agents: NodeAgents
}

/** Tells too when something else is known of the agent of a node. Somebody else runs it. */
export interface NodeAgents extends AgentKnowledge {
  subscribe(handler: (node: string) => void): Disposable
  synced(): Promise<void>
}

/** Cordons, drains and gives back the nodes that NodeMaintenances select (KEP-4212). */
export class MaintenanceController implements Controller {
  readonly name = 'maintenances'
  readonly informer: Informer<NodeMaintenance>
  readonly #options: MaintenanceControllerOptions
  readonly #nodes: FollowedNodes

  constructor(options: MaintenanceControllerOptions) {
    this.#options = options
    this.informer = new Informer({ ...options, resource: nodeMaintenances })
    this.#nodes = new FollowedNodes(options, () => this.informer.list().some(isUnderWay))
  }

  async follow(signal: AbortSignal): Promise<void> {
    using _maintenances = this.informer.subscribe(() => this.#nodes.look())
    await Promise.all([this.informer.run(signal), this.#nodes.run(signal)])
  }

  async synced(): Promise<void> {
    const { evacuations, agents } = this.#options
    await Promise.all([this.informer.synced(), evacuations.synced(), agents.synced()])
    await this.#nodes.synced()
  }

  list(): readonly NodeMaintenance[] {
    return this.informer.list()
  }

  /** What a maintenance looks at of every node of the cluster. */
  listNodes(signal: AbortSignal): Promise<readonly Node[]> {
    return this.#nodes.read(signal)
  }

  async lead(signal: AbortSignal): Promise<void> {
    await this.#nodes.findLeftBehind(signal)
    using work = new MaintenanceWork({ ...this.#options, maintenances: this.informer, nodes: this.#nodes })
    work.start(signal)
    await untilAborted(signal)
    await work.stop()
  }
}
