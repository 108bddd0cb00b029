import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { idOf, type NamespacedKey } from '../api/kubernetes/object-id.ts'
import { maintenanceStatusOf } from '../api/maintenance/maintenance-status.ts'
import type { Following } from '../kube/watch/informer-pool.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Cover } from './plan/active.ts'
import { resolve, type Resolution } from './plan/plan.ts'
import { isTargeted, sortPods, type PlannedPod, type PodKnowledge } from './plan/pods.ts'
import type { NodeTally } from './plan/standing.ts'
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

  /** Not complete: some pods are not known yet, and nothing may be concluded from the others. */
  resolve(): { readonly isComplete: boolean; readonly duePods: readonly PodOnNode[] } {
    const duePods = [...this.#dirty].flatMap((name) => this.#recount(name))
    this.#dirty.clear()
    this.#isStale = false
    const tallies: NodeTally[] = []
    for (const { isKnown, tally } of this.#pages.values()) {
      if (!isKnown || tally === undefined) return { isComplete: false, duePods }
      tallies.push(tally)
    }
    this.#resolution = resolve(tallies)
    this.#remember()
    return { isComplete: true, duePods }
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

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
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
