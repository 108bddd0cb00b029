import { idOfObject } from '../api/kubernetes/object-id.ts'
import { changesOf } from '../kube/watch/wakes.ts'
import { runControlLoop, type Wake } from '../runtime/control-loop.ts'
import type { Instigator } from '../evacuation-client/instigator.ts'
import { nodeOfEvacuation } from '../api/evacuation/evacuated-from.ts'
import type { Evacuation } from '../api/evacuation/evacuation.ts'
import { instigatorFinalizer } from '../api/evacuation/instigator-finalizers.ts'
import type { Node } from '../api/kubernetes/core.ts'
import { nodes } from '../api/kubernetes/resources.ts'
import { instigators } from '../api/names.ts'
import { podRefOfEvacuation, type PodRef } from '../api/evacuation/pod-reference.ts'
import type { ClusterEvent } from '../kube/events/cluster-event.ts'
import type { InformerParts } from '../kube/watch/informer-pool.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { Change } from '../kube/watch/object-cache.ts'
import { unlessAborted } from '../kube/single-flight.ts'
import type { Controller } from '../runtime/controller.ts'
import { untilAborted } from '../runtime/until-aborted.ts'
import { type QueueMetrics, type Reconcile } from '../runtime/work-queue.ts'
import type { UnhealthyNodeMetrics } from './metrics.ts'
import { listNodesThatMatter } from './list-nodes.ts'
import { NodeReconciler } from './reconcile.ts'
import { isConspicuous, slimNode } from './slim-node.ts'
import { nodeEventFilter } from './worth-parsing.ts'

export interface UnhealthyNodesOptions extends InformerParts {
  readonly events: { record(event: ClusterEvent): void }
  readonly queueMetrics: QueueMetrics
  readonly unhealthyNodeMetrics: UnhealthyNodeMetrics
  /** All of them; the Evacuation controller runs it. */
  readonly evacuations: Informer<Evacuation>
  readonly instigator: Pick<Instigator, 'request' | 'withdraw'>
}

const concurrency = 10
const finalizer = instigatorFinalizer(instigators.taintEviction)

/**
 * Pod Evict Policy for nodes that do not report: where Kubernetes would delete a pod whose controller takes over, that
 * controller is asked first. While all nodes are well this is one watch.
 */
export class UnhealthyNodesController implements Controller {
  readonly name = 'unhealthy-nodes'
  readonly #options: UnhealthyNodesOptions
  #reconciler: NodeReconciler | undefined

  constructor(options: UnhealthyNodesOptions) {
    this.#options = options
  }

  /** How many nodes that do not report have pods that matter. */
  get size(): number {
    return this.#reconciler?.size ?? 0
  }

  /** Nothing is followed by who does not lead: there are many nodes, and they report all the time. */
  follow(signal: AbortSignal): Promise<void> {
    return untilAborted(signal)
  }

  synced(): Promise<void> {
    return this.#options.evacuations.synced()
  }

  async lead(signal: AbortSignal): Promise<void> {
    const { kube, unhealthyNodeMetrics: metrics } = this.#options
    const isWorthParsing = nodeEventFilter((name) => {
      const node = informer.get({ name })
      return reconciler.knows(name) || (node !== undefined && isConspicuous(node))
    })
    const list = (stop: AbortSignal) =>
      listNodesThatMatter(kube, [...this.#nodesLeftBehind(), ...reconciler.names()], stop)
    const informer = new Informer({ ...this.#options, resource: nodes, project: slimNode, list, isWorthParsing })
    const get = (name: string) => informer.get({ name })
    const reconciler = new NodeReconciler({
      ...this.#options,
      metrics,
      get,
      requested: (name) => this.#requested(name),
    })
    this.#reconciler = reconciler
    const following = informer.run(signal)
    try {
      await unlessAborted(informer.synced(), signal)
      const wakes = [this.#nodes(informer, reconciler), this.#endedEvacuations(reconciler)]
      const reconcile: Reconcile = (name, stop) => reconciler.reconcile(name, stop)
      await runControlLoop({ ...this.#options, name: this.name, concurrency, wakes, reconcile }, signal)
    } finally {
      await following
      this.#reconciler = undefined
    }
  }

  /** Nodes that are not well, and those that an earlier Lifeboat asked about. */
  #nodes(informer: Informer<Node>, reconciler: NodeReconciler): Wake {
    return {
      open: (add) => {
        const changed = (change: Change<Node>) => {
          const name = change.object.metadata.name
          reconciler.nodeChanged(name)
          if (reconciler.knows(name) || isNews(change)) add(name)
        }
        const subscription = informer.subscribe(changed)
        for (const object of informer.list()) changed({ kind: 'added', object })
        for (const name of this.#nodesLeftBehind()) add(name)
        return subscription
      },
    }
  }

  #endedEvacuations(reconciler: NodeReconciler): Wake {
    return changesOf(this.#options.evacuations, ({ kind, object }) => {
      const name = nodeOfEvacuation(object) ?? ''
      const isEnding = kind === 'deleted' || object.metadata.deletionTimestamp !== undefined
      if (!isEnding || !reconciler.knows(name)) return []
      reconciler.evacuationEnded(name, idOfObject(object))
      return [name]
    })
  }

  /** Asked for by a Lifeboat before: the node may have come back since. */
  #nodesLeftBehind(): Set<string> {
    return new Set(
      this.#options.evacuations
        .list()
        .filter(isOurs)
        .flatMap((evacuation) => nodeOfEvacuation(evacuation) ?? []),
    )
  }

  #requested(name: string): PodRef[] {
    const ours = this.#options.evacuations
      .list()
      .filter((evacuation) => isOurs(evacuation) && nodeOfEvacuation(evacuation) === name)
    return ours.map(podRefOfEvacuation)
  }
}

function isOurs({ metadata }: Evacuation): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false
}

function isNews(change: Change<Node>): boolean {
  return isConspicuous(change.object) || (change.kind === 'updated' && isConspicuous(change.previous))
}
