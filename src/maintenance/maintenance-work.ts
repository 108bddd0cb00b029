import { idOfObject, keyOfId } from '../api/kubernetes/object-id.ts'
import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { unlessNotFound } from '../kube/client/errors.ts'
import type { Informer } from '../kube/watch/informer.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { WorkQueue, type Next, type Reconcile } from '../runtime/work-queue.ts'
import { Covers, isActive, isUnderWay, type Cover } from './plan/active.ts'
import { DrainBook } from './drain-book.ts'
import { EvacuationRequests } from './evacuation-requests.ts'
import type { FollowedNodes } from './node/followed-nodes.ts'
import type { MaintenanceControllerOptions } from './maintenance-controller.ts'
import { MaintenanceWriter } from './status/maintenance-writer.ts'
import { NodeWriter } from './node/node-writer.ts'
import { isAskedByMaintenance, isEnding, isUnderWay as isEvacuationUnderWay, withdrawIfDue } from './node/orphans.ts'
import type { MaintenanceOutcome, NodeOutcome } from './plan/plan.ts'
import { isMarked } from './node/slim-node.ts'

export interface MaintenanceWorkOptions extends MaintenanceControllerOptions {
  readonly maintenances: Informer<NodeMaintenance>
  readonly nodes: FollowedNodes
}

const concurrency = { plan: 1, maintenances: 4, nodes: 16, pods: 16, orphans: 4 }
/** Plans are resolved this often at most: what changes meanwhile is looked at together. */
const resolveEveryMs = 50
const restingEveryMs = 100
const settled: Next = { kind: 'settled' }
const plan = 'plan'

/** One turn of leading: from what changes in the cluster to what is written. */
export class MaintenanceWork implements Disposable {
  readonly #options: MaintenanceWorkOptions
  readonly #covers = new Covers()
  readonly #coverOf = new Map<string, Cover>()
  readonly #book: DrainBook
  readonly #queues: Readonly<Record<keyof typeof concurrency, WorkQueue>>
  readonly #maintenanceWriter: MaintenanceWriter
  readonly #subscriptions = new DisposableStack()
  #resolvedAtMs = 0
  #hasResolved = false

  constructor(options: MaintenanceWorkOptions) {
    this.#options = options
    const { nodePods, daemonSetsLeave, agents, maintenances, random } = options
    const isEvacuating = (pod: Pod) => isEvacuationUnderWay(this.#evacuationOf(pod))
    this.#book = new DrainBook({
      nodePods,
      daemonSetsLeave,
      agents,
      isEvacuating,
      changed: () => this.#resolveSoon(),
      due: (node, { metadata }) => this.#queues.pods.add(`${node}/${metadata.namespace}/${metadata.name}`),
    })
    const coverOf = (node: Node) => this.#covers.of(node)
    const nodeWriter = new NodeWriter({
      ...options,
      metrics: options.maintenanceMetrics,
      jitter: random.stream('maintenance/fights'),
      coverOf,
      node: (name) => options.nodes.get(name),
      outcomeOf: (name) => this.#book.resolution.nodes.get(name),
      isEvacuating,
      withdraw: (pod, signal) => options.instigator.withdraw(pod, signal),
      written: (name, uid, targets) => this.#book.noteWritten(name, uid, targets),
    })
    this.#maintenanceWriter = new MaintenanceWriter({
      ...options,
      coverOf,
      maintenance: (name) => maintenances.get({ name }),
      nodes: () => (options.nodes.areKnown ? options.nodes.list() : undefined),
      resolution: () => this.#book.resolution,
    })
    const requests = new EvacuationRequests({
      ...options,
      metrics: options.maintenanceMetrics,
      findDue: (node, key) => {
        const pod = this.#book.findDue(node, key)
        // The end of that Evacuation brings the pod back here.
        return pod === undefined || isEnding(this.#evacuationOf(pod)) ? undefined : pod
      },
      maintenanceOf: (node) => this.#coverOf.get(node)?.active.find(({ drains }) => drains)?.object,
    })
    this.#queues = {
      plan: this.#queue('plan', async () => this.#resolve()),
      maintenances: this.#queue('maintenances', (key, signal) => this.#maintenanceWriter.reconcile(key, signal)),
      nodes: this.#queue('nodes', (key, signal) => nodeWriter.reconcile(key, signal)),
      pods: this.#queue('pods', (key, signal) => requests.reconcile(key, signal)),
      orphans: this.#queue('orphans', (key, signal) => this.#withdrawOrphan(key, signal)),
    }
  }

  start(signal: AbortSignal): void {
    const { maintenances, nodes, evacuations, nodePods, agents } = this.#options
    this.#subscriptions.use(maintenances.subscribe((change) => this.#maintenanceChanged(change)))
    this.#subscriptions.use(nodes.subscribe((change) => this.#nodeChanged(change)))
    this.#subscriptions.use(evacuations.subscribe(({ object }) => this.#evacuationChanged(object)))
    this.#subscriptions.use(nodePods.subscribe((_change, node) => this.#book.touch(node)))
    this.#subscriptions.use(agents.subscribe((node) => this.#book.touch(node)))
    this.#recover()
    for (const { metadata } of maintenances.list()) this.#queues.maintenances.add(metadata.name ?? '')
    for (const node of nodes.list()) if (isMarked(node)) this.#queues.nodes.add(node.metadata.name ?? '')
    this.#resolveSoon()
    for (const queue of Object.values(this.#queues)) queue.start(signal)
  }

  async stop(): Promise<void> {
    this.#subscriptions.dispose()
    await Promise.all(Object.values(this.#queues).map((queue) => queue.stop()))
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose()
    this.#book[Symbol.dispose]()
  }

  #queue(name: keyof typeof concurrency, reconcile: Reconcile): WorkQueue {
    const { clock, random, log, queueMetrics: metrics } = this.#options
    const queueName = name === 'maintenances' ? name : `maintenances/${name}`
    return new WorkQueue({
      name: queueName,
      clock,
      random,
      log,
      metrics,
      concurrency: concurrency[name],
      reconcile,
    })
  }

  #maintenanceChanged(change: Change<NodeMaintenance>): void {
    this.#queues.maintenances.add(change.object.metadata.name ?? '')
    // Most changes are those of its status, which this very controller writes.
    if (change.kind !== 'updated' || changesHold(change)) this.#recover()
  }

  /** Which maintenances hold which node, after a maintenance has changed. */
  #recover(): void {
    this.#covers.set(this.#options.maintenances.list())
    for (const node of this.#options.nodes.list()) this.#recoverNode(node)
  }

  #nodeChanged(change: Change<Node>): void {
    const { object } = change
    const { name = '' } = object.metadata
    const isOurs = isMarked(object) || (change.kind === 'updated' && isMarked(change.previous))
    if (change.kind === 'deleted') this.#uncover(name)
    else this.#recoverNode(object)
    // Most changes are heartbeats of nodes that nobody maintains.
    if (isOurs || this.#coverOf.has(name)) this.#queues.nodes.add(name)
    if (isOurs || change.kind !== 'updated' || changesSelection(change)) this.#lookAtResting()
  }

  #recoverNode(node: Node): void {
    const { name = '' } = node.metadata
    const cover = this.#covers.of(node)
    const before = this.#coverOf.get(name)
    if (cover.active.length === 0) {
      if (before !== undefined) this.#uncover(name)
      return
    }
    this.#coverOf.set(name, cover)
    if (cover.draining.length > 0) this.#book.put(node, cover.draining)
    else this.#book.drop(name)
    this.#queues.nodes.add(name)
  }

  #uncover(name: string): void {
    this.#coverOf.delete(name)
    this.#book.drop(name)
    this.#queues.nodes.add(name)
  }

  /**
   * Those that are planned or cordon say how many nodes they select; those that complete wait for their nodes. What a
   * drain says follows from its plan. Nodes change by the thousand: they are looked at together.
   */
  #lookAtResting(): void {
    for (const maintenance of this.#options.maintenances.list()) {
      if (maintenance.spec.stage === 'Drain' || !isUnderWay(maintenance)) continue
      this.#queues.maintenances.addAfter(maintenance.metadata.name ?? '', restingEveryMs)
    }
  }

  #resolveSoon(): void {
    const { clock } = this.#options
    this.#queues.plan.addAfter(plan, this.#resolvedAtMs + resolveEveryMs - clock.monotonicMs())
  }

  #resolve(): Next {
    const { clock, maintenanceMetrics } = this.#options
    const before = this.#book.resolution
    const startMs = clock.monotonicMs()
    this.#resolvedAtMs = startMs
    if (!this.#book.resolve()) return settled
    if (!this.#hasResolved) this.#findOrphans()
    maintenanceMetrics.resolved(clock.monotonicMs() - startMs)
    const { nodes, maintenances } = this.#book.resolution
    for (const [name, outcome] of nodes) {
      if (!isSame(before.nodes.get(name), outcome)) this.#queues.nodes.add(name)
    }
    for (const [name, outcome] of maintenances) {
      if (isSameOutcome(before.maintenances.get(name), outcome)) continue
      this.#queues.maintenances.addAfter(name, this.#maintenanceWriter.statusDueInMs(name))
    }
    // Those whose last node has gone.
    for (const name of before.maintenances.keys()) if (!maintenances.has(name)) this.#queues.maintenances.add(name)
    return settled
  }

  /** From now on it is known which evacuations belong to drains. */
  #findOrphans(): void {
    this.#hasResolved = true
    for (const evacuation of this.#options.evacuations.list()) this.#evacuationChanged(evacuation)
  }

  async #withdrawOrphan(key: string, signal: AbortSignal): Promise<Next> {
    const { kube, instigator, log } = this.#options
    const evacuation = this.#evacuation(key)
    if (evacuation === undefined) return settled
    // One of a pod on a node that is drained is known, as soon as its pods are.
    const mayBeWanted = !this.#hasResolved || this.#book.knowsEvacuation(key)
    if (mayBeWanted && !isEnding(evacuation)) return settled
    const isWithdrawn = await withdrawIfDue(evacuation, {
      findPod: ({ namespace, name }) => unlessNotFound(kube.get(pods, { namespace, name }, { signal })),
      isDraining: (node) => (this.#coverOf.get(node)?.draining.length ?? 0) > 0,
      withdraw: (ref) => instigator.withdraw(ref, signal),
    })
    const why = isEnding(evacuation) ? 'that somebody deleted' : 'that no maintenance asks for any more'
    if (isWithdrawn) log.info({ evacuation: key }, `withdrew from an evacuation ${why}`)
    return settled
  }

  #evacuationChanged(object: Evacuation): void {
    const key = idOfObject(object)
    this.#book.touchEvacuation(key)
    if (isAskedByMaintenance(object) && (isEnding(object) || !this.#book.knowsEvacuation(key)))
      this.#queues.orphans.add(key)
  }

  #evacuationOf(pod: Pod): Evacuation | undefined {
    return this.#evacuation(evacuationIdOf(pod))
  }

  #evacuation(key: string): Evacuation | undefined {
    return this.#options.evacuations.get(keyOfId(key))
  }
}

/** Whether something has changed by which it holds nodes, or lets them go. */
function changesHold({ object, previous }: Extract<Change<NodeMaintenance>, { kind: 'updated' }>): boolean {
  return (
    object.metadata.generation !== previous.metadata.generation ||
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    isActive(object) !== isActive(previous)
  )
}

function changesSelection({ object, previous }: Extract<Change<Node>, { kind: 'updated' }>): boolean {
  return (
    JSON.stringify(object.metadata.labels) !== JSON.stringify(previous.metadata.labels) ||
    object.spec?.unschedulable !== previous.spec?.unschedulable
  )
}

function isSame(one: NodeOutcome | undefined, other: NodeOutcome): boolean {
  return (
    one !== undefined &&
    one.targets === other.targets &&
    one.message === other.message &&
    one.tally.pending === other.tally.pending &&
    one.tally.evacuating === other.tally.evacuating
  )
}

function isSameOutcome(one: MaintenanceOutcome | undefined, other: MaintenanceOutcome): boolean {
  return (
    one !== undefined &&
    one.reached === other.reached &&
    one.message === other.message &&
    one.nodesTotal === other.nodesTotal &&
    one.nodesDrained === other.nodesDrained &&
    one.pending === other.pending &&
    one.evacuating === other.evacuating
  )
}
