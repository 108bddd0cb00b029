import type { Node } from '../../api/kubernetes/core.ts'
import { nodes } from '../../api/kubernetes/resources.ts'
import { InformerPool, type Following, type InformerParts } from './informer-pool.ts'
import { unlessAborted } from '../single-flight.ts'

/** The nodes that a holder waits for, each as long as a holder does. */
export class NodesWaitedFor implements Disposable {
  readonly #pool: InformerPool<Node>
  readonly #held = new Map<string, { readonly node: string; readonly following: Following }>()

  constructor(parts: InformerParts) {
    this.#pool = new InformerPool({
      ...parts,
      resource: nodes,
      selectionOf: (name) => ({ fieldSelector: `metadata.name=${name}` }),
    })
  }

  subscribe(handler: (node: string) => void): Disposable {
    return this.#pool.subscribe((_change, node) => handler(node))
  }

  /** Undefined: there is no such node. */
  async get(holder: string, node: string, signal: AbortSignal): Promise<Node | undefined> {
    const following = this.#followingOf(holder, node)
    await unlessAborted(following.synced, signal)
    return this.#pool.get(node)?.get({ name: node })
  }

  forget(holder: string): void {
    this.#held.get(holder)?.following[Symbol.dispose]()
    this.#held.delete(holder)
  }

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]()
  }

  #followingOf(holder: string, node: string): Following {
    const known = this.#held.get(holder)
    if (known?.node === node) return known.following
    const following = this.#pool.follow(node)
    this.forget(holder)
    this.#held.set(holder, { node, following })
    return following
  }
}
