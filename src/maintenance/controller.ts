import type { Instigator } from '../evacuation-client/instigator.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Node } from '../api/kubernetes/core.ts'
import { nodeMaintenances, type NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import type { InformerParts } from '../kube/watch/informer-pool.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Controller } from '../runtime/controller.ts'
import { ControlLoop, type ControlLoopOptions } from '../runtime/control-loop.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import type { Next, QueueMetrics, Reconcile } from '../runtime/work-queue.ts'
import { idOfPod, podOfId } from './drain-book.ts'
import { DrainState, type Concerned } from './drain-state.ts'
import { EvacuationRequests } from './evacuations/request.ts'
import { withdrawOrphan } from './evacuations/withdraw-orphan.ts'
import { isUnderWay } from './plan/active.ts'
import { FollowedNodes } from './node/followed-nodes.ts'
import { NodeReconciler } from './node/reconcile.ts'
import { StatusReconciler } from './status/reconcile.ts'
import type { MaintenanceMetrics } from './metrics.ts'
import type { AgentKnowledge } from './plan/pods.ts'

export interface MaintenanceControllerOptions extends InformerParts {
  readonly events: { record(event: ClusterEvent): void }
  readonly queueMetrics: QueueMetrics
  readonly maintenanceMetrics: MaintenanceMetrics
  /** All of them; the evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly nodePods: NodePods
  readonly instigator: Pick<Instigator, 'request' | 'withdraw'>
  /** The gate NodeMaintenanceAwareDaemonSet. */
  readonly daemonSetsLeave: boolean
  readonly agents: NodeAgents
}

/** Tells too when something else is known of the agent of a node. Another controller runs it. */
export interface NodeAgents extends AgentKnowledge {
  subscribe(handler: (node: string) => void): Disposable
  synced(): Promise<void>
}

/** Of pods, half of these in one namespace. */
const concurrency = { plan: 1, maintenances: 4, nodes: 16, pods: 64, orphans: 4 }
/** Plans are resolved this often at most: what changes meanwhile is looked at together. */
const resolveEveryMs = 50
const restingEveryMs = 100
const settled: Next = { kind: 'settled' }
const plan = 'plan'

/** Cordons, drains and gives back the nodes that NodeMaintenances select (KEP-4212). */
export class MaintenanceController implements Controller {
  readonly name = 'maintenances'
  readonly informer: Informer<NodeMaintenance>
  readonly #options: MaintenanceControllerOptions
  readonly #nodes: FollowedNodes

  constructor(options: MaintenanceControllerOptions) {
    this.#options = options
    this.informer = new Informer({ ...options, resource: nodeMaintenances })
    this.#nodes = new FollowedNodes(options)
  }

  async follow(signal: AbortSignal): Promise<void> {
    using _maintenances = this.informer.subscribe(() => {
      this.#nodes.isNeeded = this.informer.list().some(isUnderWay)
    })
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

  /** The names and labels of every node of the cluster. */
  listNodes(signal: AbortSignal): Promise<readonly Node[]> {
    return this.#nodes.read(signal)
  }

  /** How many nodes the cluster has, as far as they are followed. */
  get knownNodes(): number {
    return this.#nodes.areKnown ? this.#nodes.list().length : Number.POSITIVE_INFINITY
  }

  async lead(signal: AbortSignal): Promise<void> {
    await this.#nodes.findLeftBehind(signal)
    await using _turn = new LeadingTurn({ ...this.#options, maintenances: this.informer, nodes: this.#nodes }, signal)
    await untilAborted(signal)
  }
}

interface LeadingOptions extends MaintenanceControllerOptions {
  readonly maintenances: Informer<NodeMaintenance>
  readonly nodes: FollowedNodes
}

/** One turn of leading: what changes is noted in the state, and what the state says is put into queues. */
class LeadingTurn implements AsyncDisposable {
  readonly #options: LeadingOptions
  readonly #state: DrainState
  readonly #status: StatusReconciler
  readonly #subscriptions = new DisposableStack()
  readonly #loops: Readonly<Record<keyof typeof concurrency, ControlLoop>>
  #resolvedAtMs = 0

  constructor(options: LeadingOptions, signal: AbortSignal) {
    this.#options = options
    const state = new DrainState(options)
    this.#state = state
    const parts = { ...options, metrics: options.maintenanceMetrics, state }
    this.#status = new StatusReconciler(parts)
    const node = new NodeReconciler(parts)
    const requests = new EvacuationRequests(parts)
    const loop = (
      name: keyof typeof concurrency,
      reconcile: Reconcile,
      groups: Pick<ControlLoopOptions, 'groupOf'> = {},
    ) =>
      new ControlLoop(
        {
          ...options,
          name: name === 'maintenances' ? name : `maintenances/${name}`,
          concurrency: concurrency[name],
          wakes: [],
          reconcile,
          ...groups,
        },
        signal,
      )
    this.#loops = {
      plan: loop('plan', async () => this.#resolve()),
      maintenances: loop('maintenances', (key, turn) => this.#status.reconcile(key, turn)),
      nodes: loop('nodes', async (key, turn) => {
        const next = await node.reconcile(key, turn)
        this.#queue(state.noteWritten(key))
        return next
      }),
      pods: loop('pods', (key, turn) => requests.reconcile(key, turn), { groupOf: (key) => podOfId(key).namespace }),
      orphans: loop('orphans', (key, turn) => withdrawOrphan(parts, key, turn)),
    }
    this.#subscribe()
    this.#queue(state.noteAll())
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscriptions.dispose()
    await Promise.all(Object.values(this.#loops).map((loop) => loop[Symbol.asyncDispose]()))
    this.#state[Symbol.dispose]()
  }

  #subscribe(): void {
    const { maintenances, nodes, evacuations, nodePods, agents } = this.#options
    const state = this.#state
    const subscriptions = [
      maintenances.subscribe((change) => this.#queue(state.noteMaintenance(change))),
      nodes.subscribe((change) => this.#queue(state.noteNode(change))),
      evacuations.subscribe(({ object }) => this.#queue(state.noteEvacuation(object))),
      nodePods.subscribe((_change, node) => this.#queue(state.noteOnNode(node))),
      agents.subscribe((node) => this.#queue(state.noteOnNode(node))),
    ]
    for (const subscription of subscriptions) this.#subscriptions.use(subscription)
  }

  #queue({ nodes, maintenances, restingMaintenances, orphans, opened, isPlanStale }: Concerned): void {
    const { clock } = this.#options
    for (const name of nodes) this.#loops.nodes.add(name)
    for (const name of maintenances) this.#loops.maintenances.add(name)
    for (const name of restingMaintenances) this.#loops.maintenances.addAfter(name, restingEveryMs)
    for (const id of orphans) this.#loops.orphans.add(id)
    for (const each of opened) void each.pods.synced.then(() => this.#queue(this.#state.notePodsKnown(each)))
    if (isPlanStale) this.#loops.plan.addAfter(plan, this.#resolvedAtMs + resolveEveryMs - clock.monotonicMs())
  }

  #resolve(): Next {
    const { clock, maintenanceMetrics } = this.#options
    this.#resolvedAtMs = clock.monotonicMs()
    const { isComplete, nodes, maintenances, duePods, orphans } = this.#state.resolve()
    if (isComplete) maintenanceMetrics.resolved(clock.monotonicMs() - this.#resolvedAtMs)
    for (const pod of duePods) this.#loops.pods.add(idOfPod(pod))
    for (const name of nodes) this.#loops.nodes.add(name)
    for (const name of maintenances) this.#loops.maintenances.addAfter(name, this.#status.dueInMs(name))
    for (const id of orphans) this.#loops.orphans.add(id)
    return settled
  }
}
