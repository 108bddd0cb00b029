import { idOf } from '../api/kubernetes/object-id.ts'
import type { Instigator } from '../evacuation-client/instigator.ts'
import { evacuationIdOf, evacuationKeyOf } from '../evacuation-client/evacuation-key.ts'
import type { Node, Pod } from '../api/kubernetes/core.ts'
import { nodes, pods } from '../api/kubernetes/resources.ts'
import { annotations, labels } from '../api/names.ts'
import { podRefOf, type PodRef } from '../api/evacuation/pod-reference.ts'
import type { Kube } from '../kube/client/client.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import { isKubeError, unlessNotFound } from '../kube/client/errors.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Next } from '../runtime/work-queue.ts'
import { notedCount, renderCount, type Count } from './count.ts'
import { decideNode, type NodeDecision, type NodeView } from './decide.ts'
import { controllersAsked, requestRefused } from './events.ts'
import type { UnhealthyNodeMetrics } from './metrics.ts'
import { hasPatience } from './patience.ts'

export interface ReconcilerOptions {
  readonly kube: Kube
  readonly clock: Clock
  readonly events: { record(event: ClusterEvent): void }
  readonly metrics: UnhealthyNodeMetrics
  readonly instigator: Pick<Instigator, 'request' | 'withdraw'>
  readonly get: (name: string) => Node | undefined
  /** Pods of the node whose evacuation is asked for because of it. */
  readonly requested: (name: string) => readonly PodRef[]
}

/** What is known of a node that does not report, beside what the cluster says. A restart looks again. */
interface Known {
  pods: readonly Pod[] | undefined
  /** What was noted last: the cache may not show it yet. */
  noted: { readonly count: Count | undefined } | undefined
  /** `NAMESPACE/NAME` of Evacuations that were asked for, and of those that were withdrawn. */
  readonly asked: Set<string>
  readonly withdrawn: Set<string>
}

const settled: Next = { kind: 'settled' }
const againAfterMs = { cancelled: 1_000, refused: 30_000 }

/** Asks the controllers of pods whose node does not report, at the moment at which Kubernetes would delete them. */
export class NodeReconciler {
  readonly #options: ReconcilerOptions
  readonly #known = new Map<string, Known>()

  constructor(options: ReconcilerOptions) {
    this.#options = options
  }

  /** How many nodes have pods that matter. */
  get size(): number {
    return [...this.#known.values()].filter((known) => (known.pods?.length ?? 0) > 0).length
  }

  names(): Iterable<string> {
    return this.#known.keys()
  }

  knows(name: string): boolean {
    return this.#known.has(name)
  }

  /** The cache shows something new of the node. */
  nodeChanged(name: string): void {
    const known = this.#known.get(name)
    if (known !== undefined) known.noted = undefined
  }

  /** An Evacuation was ended, or its pod is gone. */
  evacuationEnded(name: string, key: string): void {
    this.#known.get(name)?.asked.delete(key)
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Next> {
    const known = this.#known.get(name) ?? {
      pods: undefined,
      noted: undefined,
      asked: new Set(),
      withdrawn: new Set(),
    }
    this.#known.set(name, known)
    for (;;) {
      const node = this.#options.get(name)
      const decision = decideNode(this.#view(node, known, name), this.#options.clock.nowMs())
      const next = await this.#apply(decision, { name, node, known, signal })
      if (next !== undefined) return next
    }
  }

  #view(node: Node | undefined, known: Known, name: string): NodeView {
    const noted = node === undefined ? undefined : notedCount(node)
    return {
      node,
      noted: known.noted === undefined ? noted : known.noted.count,
      pods: known.pods,
      asked: known.asked,
      requested: this.#options.requested(name).filter((pod) => !known.withdrawn.has(idOf(evacuationKeyOf(pod)))),
    }
  }

  /** Undefined: decide again. */
  async #apply(decision: NodeDecision, step: Step): Promise<Next | undefined> {
    const { name, node, known, signal } = step
    switch (decision.kind) {
      case 'forget':
        this.#known.delete(name)
        return settled
      case 'withdraw':
        for (const pod of decision.pods) {
          await this.#options.instigator.withdraw(pod, signal)
          known.withdrawn.add(idOf(evacuationKeyOf(pod)))
          known.asked.delete(idOf(evacuationKeyOf(pod)))
        }
        this.#options.metrics.withdrawn(decision.pods.length)
        return undefined
      case 'note':
        if (!(await this.#note(name, node, decision.count, signal))) return settled
        known.noted = { count: decision.count }
        return undefined
      case 'look':
        known.pods = await this.#look(name, signal)
        return undefined
      case 'ask':
        return this.#ask(decision.pods, decision.count, step)
      case 'wait':
        return decision.untilMs === undefined ? settled : { kind: 'again', atMs: decision.untilMs }
      default:
        return decision satisfies never
    }
  }

  /** False: it is gone, or another one has its name. The event about that is on its way. */
  async #note(name: string, node: Node | undefined, count: Count | undefined, signal: AbortSignal): Promise<boolean> {
    const noted = renderCount(count)
    const body = {
      metadata: {
        uid: node?.metadata.uid,
        annotations: { [annotations.unhealthy]: noted },
        labels: { [labels.unhealthy]: noted === null ? null : 'true' },
      },
    }
    try {
      await this.#options.kube.patch(nodes, { name }, { type: 'merge', body }, { signal })
      return true
    } catch (error) {
      // Another UID than that of the node makes the patch invalid.
      if (isKubeError(error, 'notFound', 'conflict', 'invalid')) return false
      throw error
    }
  }

  async #look(name: string, signal: AbortSignal): Promise<Pod[]> {
    const { items } = await this.#options.kube.list(pods, { fieldSelector: `spec.nodeName=${name}`, signal })
    return items.filter(hasPatience)
  }

  async #ask(due: readonly Pod[], count: Count, step: Step): Promise<Next | undefined> {
    const { known, node } = step
    const results = await Promise.all(due.map((pod) => this.#askFor(pod, step)))
    const gone = new Set(due.filter((_, index) => results[index] === 'gone'))
    known.pods = known.pods?.filter((pod) => !gone.has(pod))
    const requested = results.filter((result) => result === 'requested').length
    if (requested > 0 && node !== undefined) this.#options.events.record(controllersAsked(node, requested, count))
    const delays = results.flatMap((result) => (typeof result === 'number' ? [result] : []))
    if (delays.length === 0) return undefined
    return { kind: 'again', atMs: this.#options.clock.nowMs() + Math.min(...delays) }
  }

  /** A number: try again after so many milliseconds. */
  async #askFor(listed: Pod, { node, known, signal }: Step): Promise<'requested' | 'gone' | number> {
    const { kube, instigator, metrics, events } = this.#options
    const ref = podRefOf(listed)
    // It was listed minutes ago, and is gone by now where its Evacuation has ended.
    const pod = await unlessNotFound(kube.get(pods, ref, { signal }))
    if (pod?.metadata.uid !== ref.uid || !hasPatience(pod)) return 'gone'
    const outcome = await instigator.request(pod, signal)
    switch (outcome.kind) {
      case 'requested':
        known.asked.add(evacuationIdOf(listed))
        known.withdrawn.delete(evacuationIdOf(listed))
        metrics.requested('requested')
        return 'requested'
      case 'podGone':
        metrics.requested('gone')
        return 'gone'
      case 'beingCancelled':
        return againAfterMs.cancelled
      case 'refused':
        metrics.requested('refused')
        if (node !== undefined) events.record(requestRefused(node, `${ref.namespace}/${ref.name}`, outcome.message))
        return againAfterMs.refused
      default:
        return outcome satisfies never
    }
  }
}

interface Step {
  readonly name: string
  readonly node: Node | undefined
  readonly known: Known
  readonly signal: AbortSignal
}
