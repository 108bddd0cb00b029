import type { Evacuation } from '../api/evacuation/evacuation.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { matchesNodeSelector, namesIn } from '../api/kubernetes/node-selector.ts'
import { idOfObject, keyOfId } from '../api/kubernetes/object-id.ts'
import type { NodeMaintenance } from '../api/maintenance/node-maintenance.ts'
import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import type { Following } from '../kube/watch/informer-pool.ts'
import type { Informer } from '../kube/watch/informer.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { changesHold, changesSelection } from './changes.ts'
import { DrainBook, type PodOnNode } from './drain-book.ts'
import { isAskedByMaintenance, isEnding, isUnderWay as isEvacuationUnderWay } from './evacuations/asked-for.ts'
import type { NodeView } from './node/decide.ts'
import type { FollowedNodes } from './node/followed-nodes.ts'
import { isMarked } from './node/slim-node.ts'
import { Covers, isUnderWay, type Cover } from './plan/active.ts'
import { changedOutcomes, type ChangedOutcomes } from './plan/changed-outcomes.ts'
import type { AgentKnowledge } from './plan/pods.ts'
import type { MaintenanceView } from './status/decide.ts'

/** What is followed of the cluster. */
export interface DrainSources {
  readonly maintenances: Pick<Informer<NodeMaintenance>, 'get' | 'list'>
  readonly nodes: Pick<FollowedNodes, 'areKnown' | 'get' | 'list'>
  readonly evacuations: Pick<Informer<Evacuation>, 'get' | 'list'>
  readonly nodePods: Pick<NodePods, 'follow' | 'get' | 'list'>
  readonly agents: AgentKnowledge
  /** The gate NodeMaintenanceAwareDaemonSet. */
  readonly daemonSetsLeave: boolean
}

/** What is to be looked at after a change. */
export interface Concerned {
  readonly nodes: ReadonlySet<string>
  readonly maintenances: ReadonlySet<string>
  /** The same, where there is no hurry: nodes change by the thousand, and are looked at together. */
  readonly restingMaintenances: ReadonlySet<string>
  /** Evacuations that may have to be withdrawn. */
  readonly orphans: ReadonlySet<string>
  /** Nodes whose pods are followed from now on. */
  readonly opened: readonly OpenedNode[]
  /** The plan is to be resolved again. */
  readonly isPlanStale: boolean
}

export interface OpenedNode {
  readonly name: string
  readonly pods: Following
}

/** What is to be done by the plan. */
export interface Resolved extends ChangedOutcomes {
  /** False: some pods are not known yet. What depends on them stays as it was. */
  readonly isComplete: boolean
  readonly duePods: readonly PodOnNode[]
  readonly orphans: readonly string[]
}

/** All that is known of maintenances, their nodes and the pods there: what changes comes in, what follows goes out. */
export class DrainState implements Disposable {
  readonly #sources: DrainSources
  readonly #covers = new Covers()
  readonly #coverOf = new Map<string, Cover>()
  readonly #book: DrainBook
  #hasResolved = false
  #concerned = nothingConcerned()

  constructor(sources: DrainSources) {
    this.#sources = sources
    this.#book = new DrainBook({ ...sources, isEvacuating: (pod) => this.isEvacuating(pod) })
  }

  [Symbol.dispose](): void {
    this.#book[Symbol.dispose]()
  }

  /** All that is there, at the start. */
  noteAll(): Concerned {
    const { maintenances, nodes } = this.#sources
    for (const maintenance of maintenances.list()) {
      this.#covers.put(maintenance)
      this.#concerned.maintenances.add(maintenance.metadata.name)
    }
    for (const node of nodes.list()) this.#recoverNode(node)
    for (const node of nodes.list()) if (isMarked(node)) this.#concerned.nodes.add(node.metadata.name)
    return { ...this.#take(), isPlanStale: true }
  }

  noteMaintenance(change: Change<NodeMaintenance>): Concerned {
    this.#concerned.maintenances.add(change.object.metadata.name)
    // Most changes are those of its status, which this very controller writes.
    if (change.kind !== 'updated' || changesHold(change)) this.#recover(change)
    return this.#take()
  }

  noteNode(change: Change<Node>): Concerned {
    const { object } = change
    const { name } = object.metadata
    const isOurs = isMarked(object) || (change.kind === 'updated' && isMarked(change.previous))
    if (change.kind === 'deleted') this.#uncover(name)
    else this.#recoverNode(object)
    // Most changes are heartbeats of nodes without a maintenance.
    if (isOurs || this.#coverOf.has(name)) this.#concerned.nodes.add(name)
    if (isOurs || change.kind !== 'updated' || changesSelection(change)) this.#concernResting()
    return this.#take()
  }

  /** This process has written to the node, which the watch may not show yet. */
  noteWritten(name: string): Concerned {
    const node = this.#sources.nodes.get(name)
    if (node !== undefined && this.isDraining(name)) this.#book.put(node, this.#covers.of(node).draining)
    return this.#take()
  }

  /** Of a pod, or of the agent of the node. */
  noteOnNode(name: string): Concerned {
    this.#book.touch(name)
    return this.#take()
  }

  notePodsKnown({ name, pods }: OpenedNode): Concerned {
    this.#book.knowPods(name, pods)
    return this.#take()
  }

  noteEvacuation(evacuation: Evacuation): Concerned {
    const id = idOfObject(evacuation)
    this.#book.touchEvacuation(id)
    if (this.#mayBeOrphan(evacuation)) this.#concerned.orphans.add(id)
    return this.#take()
  }

  resolve(): Resolved {
    const before = this.#book.resolution
    const { isComplete, duePods, unheard } = this.#book.resolve()
    const changed = changedOutcomes(before, this.#book.resolution)
    const nodes = new Set([...changed.nodes, ...unheard.nodes])
    const maintenances = new Set([...changed.maintenances, ...unheard.maintenances])
    const resolved = { isComplete, duePods, nodes: [...nodes], maintenances: [...maintenances] }
    if (!isComplete || this.#hasResolved) return { ...resolved, orphans: [] }
    // From now on it is known which Evacuations belong to drains.
    this.#hasResolved = true
    const orphans = this.#sources.evacuations.list().filter((each) => this.#mayBeOrphan(each))
    return { ...resolved, orphans: orphans.map(idOfObject) }
  }

  nodeView(name: string): Omit<NodeView, 'writtenAtMs' | 'nodesWritten'> | undefined {
    const { nodes, nodePods } = this.#sources
    const node = nodes.get(name)
    if (node === undefined) return undefined
    return { node, cover: this.#covers.of(node), outcome: this.#book.outcomeOf(node), pods: nodePods.list(name) }
  }

  maintenance(name: string): NodeMaintenance | undefined {
    return this.#sources.maintenances.get({ name })
  }

  /** Undefined: not all nodes are known yet. What is not known is not gone. */
  maintenanceView(maintenance: NodeMaintenance): MaintenanceView | undefined {
    const { nodes } = this.#sources
    if (!nodes.areKnown) return undefined
    const selected = this.#nodesSelectable(maintenance).filter((node) =>
      matchesNodeSelector(maintenance.spec.nodeSelector, node),
    )
    const given = selected.filter((node) => this.#covers.of(node).active.length === 0)
    const planned = this.#covers.plannedOf(maintenance)
    return {
      maintenance,
      nodesTotal: selected.length,
      outcome: planned === undefined ? undefined : this.#book.maintenanceOutcomeOf(planned),
      nodes: selected.flatMap((node) => this.#book.outcomeOf(node) ?? []),
      given: {
        marked: given.filter(isMarked).length,
        cordoned: given
          .filter((node) => !isMarked(node) && node.spec?.unschedulable === true)
          .map(({ metadata }) => metadata.name),
      },
    }
  }

  /** A pod whose turn has come, and the oldest maintenance that drains its node. */
  duePod(key: PodOnNode): { readonly pod: Pod; readonly maintenance: NodeMaintenance | undefined } | undefined {
    const pod = this.#book.findDue(key)
    // The end of an Evacuation brings its pod back here.
    if (pod === undefined || isEnding(this.#evacuationOf(pod))) return undefined
    return { pod, maintenance: this.#coverOf.get(key.node)?.active.find(({ drains }) => drains)?.object }
  }

  /** An Evacuation that no drain is known to want. */
  orphan(id: string): Evacuation | undefined {
    const evacuation = this.#sources.evacuations.get(keyOfId(id))
    // One of a pod on a node that is drained is known, as soon as its pods are.
    const mayBeWanted = !this.#hasResolved || this.#book.knowsEvacuation(id)
    return evacuation === undefined || (mayBeWanted && !isEnding(evacuation)) ? undefined : evacuation
  }

  isDraining(node: string): boolean {
    return (this.#coverOf.get(node)?.draining.length ?? 0) > 0
  }

  /** With a gate off a drain leaves pods in place that it asked to leave before. */
  isLeftInPlace(pod: PodOnNode): boolean {
    return this.#book.isLeftInPlace(pod)
  }

  /** There is an Evacuation of it that a maintenance asked for. */
  isEvacuating(pod: Pod): boolean {
    return isEvacuationUnderWay(this.#evacuationOf(pod))
  }

  #evacuationOf(pod: Pod): Evacuation | undefined {
    return this.#sources.evacuations.get(keyOfId(evacuationIdOf(pod)))
  }

  #mayBeOrphan(evacuation: Evacuation): boolean {
    const isKnown = this.#book.knowsEvacuation(idOfObject(evacuation))
    return isAskedByMaintenance(evacuation) && (isEnding(evacuation) || !isKnown)
  }

  /** Which maintenances hold which node, after one of them has changed. */
  #recover(change: Change<NodeMaintenance>): void {
    if (change.kind === 'deleted') this.#covers.remove(change.object)
    else this.#covers.put(change.object)
    if (change.kind === 'updated') this.#recoverSelectable(change.previous)
    this.#recoverSelectable(change.object)
  }

  #recoverSelectable(maintenance: NodeMaintenance): void {
    for (const node of this.#nodesSelectable(maintenance)) this.#recoverNode(node)
  }

  /** A maintenance of one node does not have to look at five thousand. */
  #nodesSelectable({ spec }: NodeMaintenance): readonly Node[] {
    const { nodes } = this.#sources
    const names = namesIn(spec.nodeSelector)
    return names === undefined ? nodes.list() : [...names].flatMap((name) => nodes.get(name) ?? [])
  }

  #recoverNode({ metadata: { name } }: Node): void {
    const node = this.#sources.nodes.get(name)
    if (node === undefined) return
    const cover = this.#covers.of(node)
    if (cover.active.length === 0) {
      if (this.#coverOf.has(name)) this.#uncover(name)
      return
    }
    this.#coverOf.set(name, cover)
    this.#concerned.nodes.add(name)
    if (cover.draining.length === 0) return this.#book.drop(name)
    const pods = this.#book.put(node, cover.draining)
    if (pods !== undefined) this.#concerned.opened.push({ name, pods })
  }

  #uncover(name: string): void {
    this.#coverOf.delete(name)
    this.#book.drop(name)
    this.#concerned.nodes.add(name)
  }

  /**
   * Those that are planned or cordon say how many nodes they select; those that complete wait for their nodes. What a
   * drain says follows from its plan.
   */
  #concernResting(): void {
    for (const maintenance of this.#sources.maintenances.list()) {
      if (maintenance.spec.stage === 'Drain' || !isUnderWay(maintenance)) continue
      this.#concerned.restingMaintenances.add(maintenance.metadata.name)
    }
  }

  #take(): Concerned {
    const concerned = { ...this.#concerned, isPlanStale: this.#book.isStale }
    this.#concerned = nothingConcerned()
    return concerned
  }
}

function nothingConcerned() {
  return {
    nodes: new Set<string>(),
    maintenances: new Set<string>(),
    restingMaintenances: new Set<string>(),
    orphans: new Set<string>(),
    opened: new Array<OpenedNode>(),
  }
}
