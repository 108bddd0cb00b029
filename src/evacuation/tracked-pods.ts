import type { Pod } from '../api/kubernetes/core.ts'
import { pods } from '../api/kubernetes/resources.ts'
import { podKey, type PodRef } from '../api/evacuation/pod-reference.ts'
import type { Kube } from '../kube/client/client.ts'
import { unlessNotFound } from '../kube/client/errors.ts'
import { unassigned, type NodePods } from '../kube/watch/node-pods.ts'
import { unlessAborted } from '../kube/single-flight.ts'

type Tracked = {
  readonly node: string
  readonly followed: Disposable & { readonly synced: Promise<void> }
  /** The cache has shown it: from then on its absence means that it is gone. */
  seen: boolean
}

/** Finds the pods that evacuations are about, and keeps their nodes followed as long as it is asked to. */
export class TrackedPods implements Disposable {
  readonly #kube: Kube
  readonly #nodePods: NodePods
  readonly #tracked = new Map<string, Tracked>()

  constructor(kube: Kube, nodePods: NodePods) {
    this.#kube = kube
    this.#nodePods = nodePods
  }

  /**
   * The pod as last seen, or undefined: it is gone for sure. That it is not in a cache proves nothing until it was, so
   * the API server is asked before the controller concludes from it.
   */
  async look(ref: PodRef, signal: AbortSignal): Promise<Pod | undefined> {
    const known = this.peek(ref)
    if (known !== 'unknown') return known
    const node = this.#nodePods.find(ref)
    if (node !== undefined) {
      this.#track(ref, node).seen = true
      return this.#nodePods.get(node, ref)
    }
    return this.#ask(ref, signal)
  }

  forget(ref: PodRef): void {
    const key = podKey(ref)
    this.#tracked.get(key)?.followed[Symbol.dispose]()
    this.#tracked.delete(key)
  }

  [Symbol.dispose](): void {
    for (const { followed } of this.#tracked.values()) followed[Symbol.dispose]()
    this.#tracked.clear()
  }

  /** The same without asking. */
  peek(ref: PodRef): Pod | undefined | 'unknown' {
    const tracked = this.#tracked.get(podKey(ref))
    if (tracked === undefined) return 'unknown'
    const pod = this.#nodePods.get(tracked.node, ref)
    if (pod?.metadata.uid === ref.uid) {
      tracked.seen = true
      return pod
    }
    // A pod never leaves its node alive; but one that left those without a node has only got one.
    return tracked.seen && tracked.node !== unassigned ? undefined : 'unknown'
  }

  async #ask(ref: PodRef, signal: AbortSignal): Promise<Pod | undefined> {
    const pod = await this.#read(ref, signal)
    if (pod === undefined || pod.metadata.uid !== ref.uid) {
      this.forget(ref)
      return undefined
    }
    const { followed } = this.#track(ref, pod.spec?.nodeName ?? unassigned)
    await unlessAborted(followed.synced, signal)
    const known = this.peek(ref)
    if (known !== 'unknown') return known
    // Not in the cache: it went while the list was made, or the cache lags and will tell of it. One more look tells.
    const again = await this.#read(ref, signal)
    return again?.metadata.uid === ref.uid ? again : undefined
  }

  #track(ref: PodRef, node: string): Tracked {
    const key = podKey(ref)
    const before = this.#tracked.get(key)
    const followed = this.#nodePods.follow(node)
    before?.followed[Symbol.dispose]()
    const tracked = { node, followed, seen: false }
    this.#tracked.set(key, tracked)
    return tracked
  }

  async #read(ref: PodRef, signal: AbortSignal): Promise<Pod | undefined> {
    return unlessNotFound(this.#kube.get(pods, { namespace: ref.namespace, name: ref.name }, { signal }))
  }
}
