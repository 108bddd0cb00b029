import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { idOf, type NamespacedKey } from '../api/kubernetes/object-id.ts'
import { maintenanceStatusOf } from '../api/maintenance/maintenance-status.ts'
import type { Following } from '../kube/watch/informer-pool.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Cover } from './plan/active.ts'
import type { ChangedOutcomes } from './plan/changed-outcomes.ts'
import { resolve, type MaintenanceOutcome, type NodeOutcome, type Resolution } from './plan/plan.ts'
import { isTargeted, sortPods, type PlannedPod, type PodKnowledge } from './plan/pods.ts'
import type { DrainingMaintenance, NodeTally } from './plan/standing.ts'
import { tallyNode } from './plan/pods.ts'
import { canonical, join, noTargets, type Targets } from './plan/targets.ts'

export interface DrainBookOptions extends PodKnowledge {
  readonly nodePods: Pick<NodePods, 'follow' | 'get' | 'list'>
}

/** A pod on a node that is drained. */
export interface PodOnNode extends NamespacedKey {
  readonly node: string
}

type Page = {
  node: Node
  draining: Cover['draining']
  readonly following: Following
  /** All of its pods have been seen. */
  isKnown: boolean
  tally: NodeTally | undefined
  /** The names that the Evacuations of its pods have, or would have. */
  evacuations: readonly string[]
  /**
   * Targets that a plan came to, and that may not be written yet. Nodes are written one by one: what was decided for all
   * of them at once would be taken back for those that come last, because the first ones have pods to evacuate by then.
   * Another node under the same name has nothing of it.
   */
  decided: { readonly uid: string; readonly targets: Targets } | undefined
  /** Of the node that the last resolve counted. */
  resolvedUid: string | undefined
}

export interface BookResolution {
  /** False: some pods are not known yet. */
  readonly isComplete: boolean
  readonly duePods: readonly PodOnNode[]
  /** Of which nothing was known until now. They have something to say, even if it is what others said before them. */
  readonly unheard: ChangedOutcomes
}

/** The nodes that are being drained, with their pods, and what follows from all of them together. */
export class DrainBook implements Disposable {
  readonly #options: DrainBookOptions
  readonly #pages = new Map<string, Page>()
  readonly #dirty = new Set<string>()
  /** On which node the pod of an Evacuation is. */
  readonly #homes = new Map<string, string>()
  #isStale = false
  #resolution: Resolution = { nodes: new Map(), maintenances: new Map() }
  /** The maintenances that the resolution is about. */
  #resolved: ReadonlySet<DrainingMaintenance> = new Set()

  constructor(options: DrainBookOptions) {
    this.#options = options
  }

  /** Something has changed since the last resolve. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** What the last resolve came to. */
  get resolution(): Resolution {
    return this.#resolution
  }

  /** What it came to for this very node under these very maintenances; undefined: it is not known yet. */
  outcomeOf({ metadata: { name, uid } }: Node): NodeOutcome | undefined {
    const page = this.#pages.get(name)
    const outcome = this.#resolution.nodes.get(name)
    const isOfIts = outcome !== undefined && page?.resolvedUid === uid
    return isOfIts && isSameList(outcome.tally.node.maintenances, page.draining) ? outcome : undefined
  }

  /** The same for a maintenance: one that was made again under its name has nothing of it. */
  maintenanceOutcomeOf(maintenance: DrainingMaintenance): MaintenanceOutcome | undefined {
    return this.#resolved.has(maintenance) ? this.#resolution.maintenances.get(maintenance.name) : undefined
  }

  /** Where the node is new here: its pods, which knowPods is to be told about when they are synced. */
  put(node: Node, draining: Cover['draining']): Following | undefined {
    const { name } = node.metadata
    const known = this.#pages.get(name)
    if (known !== undefined) {
      this.#change(known, node, draining)
      return undefined
    }
    const following = this.#options.nodePods.follow(name)
    this.#pages.set(name, {
      node,
      draining,
      following,
      isKnown: false,
      tally: undefined,
      evacuations: [],
      decided: undefined,
      resolvedUid: undefined,
    })
    return following
  }

  #change(page: Page, node: Node, draining: Cover['draining']): void {
    const isSame = isSameList(page.draining, draining)
    if (page.node === node && isSame) return
    page.node = node
    // The array stays where it says the same: plans are resolved faster by it.
    if (!isSame) {
      page.draining = draining
      // Nothing was done by it yet, and it was not decided for these.
      page.decided = undefined
    }
    this.touch(node.metadata.name)
  }

  /** The pods of the node are synced, unless it has been dropped since. */
  knowPods(name: string, following: Following): void {
    const page = this.#pages.get(name)
    if (page?.following !== following) return
    page.isKnown = true
    this.touch(name)
  }

  drop(name: string): void {
    const page = this.#pages.get(name)
    if (page === undefined) return
    page.following[Symbol.dispose]()
    this.#pages.delete(name)
    this.#dirty.delete(name)
    for (const key of page.evacuations) this.#homes.delete(key)
    this.#isStale = true
  }

  /** Something of the node is no longer as it was. */
  touch(name: string): void {
    if (!this.#pages.has(name)) return
    this.#dirty.add(name)
    this.#isStale = true
  }

  /** An Evacuation has come, changed or gone. */
  touchEvacuation(id: string): void {
    const home = this.#homes.get(id)
    if (home !== undefined) this.touch(home)
  }

  knowsEvacuation(id: string): boolean {
    return this.#homes.has(id)
  }

  /**
   * As long as some pods of a node are not known, nothing is concluded about its maintenances and those that they share
   * nodes with: what was said of them stands. All others continue.
   */
  resolve(): BookResolution {
    const duePods = [...this.#dirty].flatMap((name) => this.#recount(name))
    this.#dirty.clear()
    this.#isStale = false
    const pages = [...this.#pages.values()]
    const unknown = pages.filter(({ tally }) => tally === undefined)
    const waiting = unknown.length === 0 ? noMaintenances : connectedTo(unknown, pages)
    const settled = unknown.length === 0 ? pages : pages.filter((page) => !isAmong(waiting, page))
    const unheard = settled
      .filter(({ node }) => this.outcomeOf(node) === undefined)
      .map(({ node }) => node.metadata.name)
    const fresh = resolve(settled.flatMap(({ tally }) => tally ?? []))
    this.#resolution = unknown.length === 0 ? fresh : this.#withStanding(fresh, waiting)
    // Nodes with the same maintenances share the list.
    const resolved = new Set([...new Set(pages.map(({ draining }) => draining))].flat())
    const unheardMaintenances = [...resolved].filter((each) => !this.#resolved.has(each)).map(({ name }) => name)
    this.#resolved = resolved
    for (const page of settled) page.resolvedUid = page.node.metadata.uid
    this.#remember()
    return { isComplete: unknown.length === 0, duePods, unheard: { nodes: unheard, maintenances: unheardMaintenances } }
  }

  #withStanding(fresh: Resolution, waiting: ReadonlySet<DrainingMaintenance>): Resolution {
    const [nodes, maintenances] = [new Map(fresh.nodes), new Map(fresh.maintenances)]
    for (const [name, page] of this.#pages) {
      const outcome = isAmong(waiting, page) ? this.outcomeOf(page.node) : undefined
      if (outcome !== undefined) nodes.set(name, outcome)
    }
    for (const each of waiting) {
      const outcome = this.maintenanceOutcomeOf(each)
      if (outcome !== undefined) maintenances.set(each.name, outcome)
    }
    return { nodes, maintenances }
  }

  #remember(): void {
    for (const [name, { tally, targets }] of this.#resolution.nodes) {
      const page = this.#pages.get(name)
      if (page === undefined || targets === tally.node.reached) continue
      page.decided = { uid: page.node.metadata.uid, targets }
      this.#dirty.add(name)
    }
  }

  /** The pod, if its turn has come and its evacuation was not asked for. */
  findDue({ node, ...key }: PodOnNode): Pod | undefined {
    const page = this.#pages.get(node)
    const pod = this.#options.nodePods.get(node, key)
    if (page === undefined || pod === undefined) return undefined
    const [planned] = sortPods([pod], this.#options).leaving
    return planned !== undefined && isDue(planned, reachedOf(page)) ? pod : undefined
  }

  /** A pod on a node that is drained, which the drain leaves where it is. */
  isLeftInPlace({ node, ...key }: PodOnNode): boolean {
    const pod = this.#options.nodePods.get(node, key)
    return this.#pages.has(node) && pod !== undefined && sortPods([pod], this.#options).leaving.length === 0
  }

  [Symbol.dispose](): void {
    for (const { following } of this.#pages.values()) following[Symbol.dispose]()
    this.#pages.clear()
  }

  #recount(name: string): PodOnNode[] {
    const page = this.#pages.get(name)
    if (page === undefined || !page.isKnown) return []
    const pods = sortPods(this.#options.nodePods.list(name), this.#options)
    page.tally = tallyNode({ name, maintenances: page.draining, reached: decidedOf(page), pods })
    for (const id of page.evacuations) this.#homes.delete(id)
    page.evacuations = pods.leaving.map(({ pod }) => evacuationIdOf(pod))
    for (const id of page.evacuations) this.#homes.set(id, name)
    const reached = reachedOf(page)
    const due = pods.leaving.filter((planned) => isDue(planned, reached))
    return due.map(({ pod: { metadata } }) => ({ node: name, namespace: metadata.namespace, name: metadata.name }))
  }
}

/** As a key of a queue. */
export function idOfPod(pod: PodOnNode): string {
  return `${pod.node}/${idOf(pod)}`
}

export function podOfId(id: string): PodOnNode {
  const [node = '', namespace = '', name = ''] = id.split('/')
  return { node, namespace, name }
}

/** The maintenances of these nodes, and all that are connected to them by shared nodes. */
function connectedTo(some: readonly Page[], all: readonly Page[]): ReadonlySet<DrainingMaintenance> {
  const found = new Set(some.flatMap(({ draining }) => draining))
  for (let size = -1; size !== found.size;) {
    size = found.size
    for (const page of all) if (isAmong(found, page)) for (const each of page.draining) found.add(each)
  }
  return found
}

const noMaintenances: ReadonlySet<DrainingMaintenance> = new Set()

function isAmong(maintenances: ReadonlySet<DrainingMaintenance>, { draining }: Page): boolean {
  return draining.some((each) => maintenances.has(each))
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one === other || (one.length === other.length && one.every((item, index) => item === other[index]))
}

function isDue(planned: PlannedPod, reached: Targets): boolean {
  return !planned.isEvacuating && isTargeted(planned, reached)
}

/** What pods may be evacuated by: it stands on the node, so that it can never go back. */
function reachedOf({ node }: Page): Targets {
  const parsed = maintenanceStatusOf(node)
  return parsed.kind === 'parsed' ? canonical(parsed.status.drainTargets) : noTargets
}

function decidedOf(page: Page): Targets {
  const { node, decided } = page
  return decided?.uid === node.metadata.uid ? join(reachedOf(page), decided.targets) : reachedOf(page)
}
