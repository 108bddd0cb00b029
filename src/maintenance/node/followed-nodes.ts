import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { labels } from '../../api/names.ts'
import type { InformerParts } from '../../kube/watch/informer-pool.ts'
import { Informer } from '../../kube/watch/informer.ts'
import type { Change } from '../../kube/watch/object-cache.ts'
import { OwnWrites } from '../../kube/watch/own-writes.ts'
import { unlessAborted } from '../../kube/single-flight.ts'
import { untilAborted } from '../../runtime/until-aborted.ts'
import { isMarked, slimNode } from './slim-node.ts'

/** A node is large, and a page of them is kept whole until it is read. */
const pageSize = 100

/**
 * The nodes of the cluster, as long as some are under maintenance: kubelets write to their nodes all the time, and
 * Lifeboat should not read that for nothing.
 */
export class FollowedNodes {
  readonly #parts: InformerParts
  readonly #handlers = new Set<(change: Change<Node>) => void>()
  #isNeeded = false
  #followed:
    | { readonly informer: Informer<Node>; readonly newest: OwnWrites<Node>; readonly stop: AbortController }
    | undefined
  #signal: AbortSignal | undefined
  /** Nodes that were under maintenance when Lifeboat was not there to see the end of it. */
  #leftBehind = new Set<string>()

  constructor(parts: InformerParts) {
    this.#parts = parts
  }

  /** Whether there is a maintenance that is not over. */
  set isNeeded(isNeeded: boolean) {
    this.#isNeeded = isNeeded
    this.#look()
  }

  /** False: what get and list say is not all there is. */
  get areKnown(): boolean {
    return this.#followed?.informer.isSynced ?? false
  }

  /** With what this process wrote on top of what the watch has shown. */
  get(name: string): Node | undefined {
    return this.#followed?.newest.get({ name })
  }

  /** Sends a write, and keeps its answer until the watch has shown as much. */
  async keep(name: string, send: () => Promise<Node>): Promise<void> {
    const newest = this.#followed?.newest
    const write = async () => slimNode(await send())
    const written = await (newest === undefined ? write() : newest.keep({ name }, write))
    if (newest === this.#followed?.newest || !isMarked(written)) return
    // The last maintenance went while the write was under way: the mark must be seen, to be taken off again.
    this.#leftBehind.add(name)
    this.#look()
  }

  list(): readonly Node[] {
    return this.#followed?.informer.list() ?? []
  }

  subscribe(handler: (change: Change<Node>) => void): Disposable {
    this.#handlers.add(handler)
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) }
  }

  /** Resolves when all nodes are known, or are not needed any more. */
  async synced(): Promise<void> {
    // Following may end before its first list is there, and begin again.
    for (let followed = this.#followed; followed?.informer.isSynced === false; followed = this.#followed) {
      await unlessAborted(followed.informer.synced(), followed.stop.signal).catch(() => {})
    }
  }

  /**
   * Their names and labels: from the cache, or where there is none yet from the API server. Of 5,000 nodes that is ten
   * small requests. A caller has only seconds, and the first list of the cache, of whole nodes, takes longer.
   */
  async read(signal: AbortSignal): Promise<readonly Node[]> {
    if (this.areKnown) return this.list()
    const found: Node[] = []
    for await (const { items } of this.#parts.kube.metadata(nodes, { signal })) {
      for (const { metadata } of items) found.push(slimNode({ metadata }))
    }
    return found
  }

  /** Until the signal aborts, whenever they are needed. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal
    this.#look()
    await untilAborted(signal)
    this.#stop()
  }

  /** Nodes may be marked though no maintenance is left: its finalizer was taken off by force. */
  async findLeftBehind(signal: AbortSignal): Promise<void> {
    const { items } = await this.#parts.kube.list(nodes, { labelSelector: labels.underMaintenance, signal })
    this.#leftBehind = new Set(items.map(({ metadata }) => metadata.name))
    this.#look()
    await unlessAborted(this.synced(), signal)
  }

  /** Something has changed by which nodes may be needed, or needed no longer. */
  #look(): void {
    if (this.#signal === undefined || this.#signal.aborted) return
    const isNeeded = this.#isNeeded || this.#leftBehind.size > 0 || this.#isAnyMarked()
    if (isNeeded && this.#followed === undefined) this.#start()
    if (!isNeeded) this.#stop()
  }

  /** Also where the watch has not shown it yet. */
  #isAnyMarked(): boolean {
    const written = this.#followed?.newest.written() ?? []
    return written.some(isMarked) || this.list().some(isMarked)
  }

  #start(): void {
    const informer = new Informer({ ...this.#parts, resource: nodes, project: slimNode, pageSize })
    const stop = new AbortController()
    this.#followed = { informer, newest: new OwnWrites(informer), stop }
    // The first list comes page by page. Told so, too few nodes to begin with would each get a watch of their pods.
    informer.subscribe((change) => {
      if (informer.isSynced) this.#noticed(change)
    })
    void this.#tellAllOf(informer)
    void informer.run(stop.signal)
  }

  async #tellAllOf(informer: Informer<Node>): Promise<void> {
    await informer.synced()
    this.#leftBehind.clear()
    if (this.#followed?.informer !== informer) return
    for (const object of informer.list()) this.#noticed({ kind: 'added', object })
  }

  #noticed(change: Change<Node>): void {
    for (const handler of this.#handlers) handler(change)
    const wasMarked = change.kind !== 'added' && isMarked(change.kind === 'updated' ? change.previous : change.object)
    if (wasMarked && (change.kind === 'deleted' || !isMarked(change.object))) this.#look()
  }

  #stop(): void {
    this.#followed?.stop.abort(new Error('no maintenance needs the nodes any more'))
    this.#followed = undefined
  }
}
