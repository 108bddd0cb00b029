import { evacuationIdOf } from '../evacuation-client/evacuation-key.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { maintenanceStatusOf } from '../api/maintenance/maintenance-status.ts'
import type { Following } from '../kube/watch/informer-pool.ts'
import type { NodePods } from '../kube/watch/node-pods.ts'
import type { Cover } from './plan/active.ts'
import { resolve, type Resolution } from './plan/plan.ts'
import { isTargeted, sortPods, type PlannedPod, type PodKnowledge } from './plan/pods.ts'
import type { NodeTally } from './plan/standing.ts'
import { tallyNode } from './plan/tally.ts'
import { canonical, join, noTargets, type Targets } from './plan/targets.ts'

export interface DrainBookOptions extends PodKnowledge {
  readonly nodePods: NodePods
  /** Something is to be resolved again. */
  readonly changed: () => void
  /** The turn of a pod has come, and nobody has asked for its evacuation. */
  readonly due: (node: string, pod: Pod) => void
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
  /** Targets that were written to this very node, which the cache may not show yet. */
  written: NodeTargets
  /**
   * Targets that a plan came to, and that may not be written yet. Nodes are written one by one: what was decided for all
   * of them at once would be taken back for those that come last, because the first ones have pods to evacuate by then.
   */
  decided: NodeTargets
}

/** Another node under the same name has nothing of it. */
interface NodeTargets {
  readonly uid: string | undefined
  readonly targets: Targets
}

/** Everything that is known of the nodes that are being drained, and what follows from it. */
export class DrainBook implements Disposable {
  readonly #options: DrainBookOptions
  readonly #pages = new Map<string, Page>()
  readonly #dirty = new Set<string>()
  /** On which node the pod of an Evacuation is. */
  readonly #homes = new Map<string, string>()
  #resolution: Resolution = { nodes: new Map(), maintenances: new Map() }

  constructor(options: DrainBookOptions) {
    this.#options = options
  }

  /** What came of it the last time. */
  get resolution(): Resolution {
    return this.#resolution
  }

  put(node: Node, draining: Cover['draining']): void {
    const name = node.metadata.name ?? ''
    const known = this.#pages.get(name)
    if (known !== undefined) {
      if (known.node === node && isSameList(known.draining, draining)) return
      known.node = node
      // The array stays where it says the same: plans are resolved faster by it.
      if (!isSameList(known.draining, draining)) {
        known.draining = draining
        // Nobody has acted on it, and it was not decided for these.
        known.decided = { uid: undefined, targets: noTargets }
      }
      return this.touch(name)
    }
    const page: Page = {
      node,
      draining,
      following: this.#options.nodePods.follow(name),
      isKnown: false,
      tally: undefined,
      evacuations: [],
      written: { uid: node.metadata.uid, targets: noTargets },
      decided: { uid: node.metadata.uid, targets: noTargets },
    }
    this.#pages.set(name, page)
    void this.#untilKnown(name, page)
  }

  drop(name: string): void {
    const page = this.#pages.get(name)
    if (page === undefined) return
    page.following[Symbol.dispose]()
    this.#pages.delete(name)
    this.#dirty.delete(name)
    for (const key of page.evacuations) this.#homes.delete(key)
    this.#options.changed()
  }

  /** Something of the node is no longer as it was. */
  touch(name: string): void {
    if (!this.#pages.has(name)) return
    this.#dirty.add(name)
    this.#options.changed()
  }

  /** `NAMESPACE/NAME` of an Evacuation that has come, changed or gone. */
  touchEvacuation(key: string): void {
    const home = this.#homes.get(key)
    if (home !== undefined) this.touch(home)
  }

  knowsEvacuation(key: string): boolean {
    return this.#homes.has(key)
  }

  noteWritten(name: string, uid: string | undefined, targets: Targets): void {
    const page = this.#pages.get(name)
    if (page === undefined) return
    page.written = { uid, targets }
    this.touch(name)
  }

  /** False: some pods are not known yet, and nothing may be concluded from the others. */
  resolve(): boolean {
    for (const name of this.#dirty) this.#recount(name)
    this.#dirty.clear()
    const tallies: NodeTally[] = []
    for (const { isKnown, tally } of this.#pages.values()) {
      if (!isKnown || tally === undefined) return false
      tallies.push(tally)
    }
    this.#resolution = resolve(tallies)
    this.#remember()
    return true
  }

  #remember(): void {
    for (const [name, { tally, targets }] of this.#resolution.nodes) {
      const page = this.#pages.get(name)
      if (page === undefined || targets === tally.node.reached) continue
      page.decided = { uid: page.node.metadata.uid, targets }
      this.#dirty.add(name)
    }
  }

  /** The pod, if its turn has come and nobody has asked for its evacuation. */
  findDue(name: string, key: { readonly namespace: string; readonly name: string }): Pod | undefined {
    const page = this.#pages.get(name)
    const pod = this.#options.nodePods.get(name, key)
    if (page === undefined || pod === undefined) return undefined
    const [planned] = sortPods([pod], this.#options).leaving
    return planned !== undefined && isDue(planned, reachedOf(page)) ? pod : undefined
  }

  [Symbol.dispose](): void {
    for (const { following } of this.#pages.values()) following[Symbol.dispose]()
    this.#pages.clear()
  }

  async #untilKnown(name: string, page: Page): Promise<void> {
    await page.following.synced
    page.isKnown = true
    if (this.#pages.get(name) === page) this.touch(name)
  }

  #recount(name: string): void {
    const page = this.#pages.get(name)
    if (page === undefined || !page.isKnown) return
    const pods = sortPods(this.#options.nodePods.list(name), this.#options)
    page.tally = tallyNode({ name, maintenances: page.draining, reached: withTargets(page, page.decided), pods })
    for (const key of page.evacuations) this.#homes.delete(key)
    page.evacuations = pods.leaving.map(({ pod }) => evacuationIdOf(pod))
    for (const key of page.evacuations) this.#homes.set(key, name)
    const reached = reachedOf(page)
    for (const planned of pods.leaving) if (isDue(planned, reached)) this.#options.due(name, planned.pod)
  }
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, index) => item === other[index])
}

function isDue(planned: PlannedPod, reached: Targets): boolean {
  return !planned.isEvacuating && isTargeted(planned, reached)
}

/** What pods may be evacuated by: it stands on the node, so that it can never go back. */
function reachedOf({ node, written }: Page): Targets {
  const parsed = maintenanceStatusOf(node)
  const seen = parsed.kind === 'parsed' ? canonical(parsed.status.drainTargets) : noTargets
  return written.uid === node.metadata.uid ? join(seen, written.targets) : seen
}

function withTargets(page: Page, { uid, targets }: NodeTargets): Targets {
  return uid === page.node.metadata.uid ? join(reachedOf(page), targets) : reachedOf(page)
}
