import { evacuations, type Evacuation } from '../api/evacuation/evacuation.ts'
import type { PersistentVolumeClaim } from '../api/kubernetes/core.ts'
import type { KubernetesObject } from '../api/kubernetes/meta.ts'
import type { PodDisruptionBudget } from '../api/kubernetes/policy.ts'
import {
  namespaces,
  nodes,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  type Resource,
} from '../api/kubernetes/resources.ts'
import { Informer } from '../kube/watch/informer.ts'
import type { InformerParts } from '../kube/watch/informer-pool.ts'
import type { Needs } from './needs.ts'
import type { SourceNode, SourcePod } from './reduce/objects.ts'
import { reduceNode } from './reduce/reduce-node.ts'
import { PodReducer } from './reduce/reduce-pod.ts'
import type { BudgetView, ClusterView, NodeView, PodView } from './view.ts'

/** An object of which only the view is kept. */
type Reduced<Source extends KubernetesObject, View> = Source & { view?: View }

/** Pods are most of what is listed, and a page is held as a whole before it is reduced. */
const podsInPage = 250

/** What the descheduler knows of a cluster, kept up to date while it runs. */
export class ClusterWatch {
  readonly #nodes: Informer<Reduced<SourceNode, NodeView>>
  readonly #pods: Informer<Reduced<SourcePod, PodView>>
  readonly #evacuations: Informer<Evacuation> | undefined
  readonly #namespaces: Informer<KubernetesObject> | undefined
  readonly #budgets: Informer<PodDisruptionBudget> | undefined
  readonly #claims: Informer<PersistentVolumeClaim> | undefined

  /** `hasEvacuations`: false on a cluster without that kind. */
  constructor(parts: InformerParts, needs: Needs & { readonly hasEvacuations: boolean }) {
    const follow = <T extends KubernetesObject>(resource: Resource<T>, isNeeded: boolean) =>
      isNeeded ? new Informer({ ...parts, resource }) : undefined
    const reducer = new PodReducer(needs)
    this.#nodes = new Informer<Reduced<SourceNode, NodeView>>({
      ...parts,
      resource: nodes,
      project: (node) => reducedTo(node, reduceNode),
    })
    this.#pods = new Informer<Reduced<SourcePod, PodView>>({
      ...parts,
      resource: pods as Resource<SourcePod>,
      // A pod that is on no node cannot leave one.
      selection: { fieldSelector: 'spec.nodeName!=' },
      project: (pod) => reducedTo(pod, (whole) => reducer.reduce(whole)),
      pageSize: podsInPage,
    })
    this.#evacuations = follow(evacuations, needs.hasEvacuations)
    this.#namespaces = follow(namespaces, needs.namespaces)
    this.#budgets = follow(podDisruptionBudgets, needs.budgets)
    this.#claims = follow(persistentVolumeClaims, needs.claims)
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.run(signal)))
  }

  /** Resolves after the first complete lists. */
  async synced(): Promise<void> {
    await Promise.all(this.#all().map((informer) => informer.synced()))
  }

  /** A frozen view: what the watches tell later is not in it. */
  view(nowMs: number, metrics: ClusterView['metrics']): ClusterView {
    const nodeViews = this.#nodes.list().flatMap(({ view }) => (view === undefined ? [] : [view]))
    return {
      nowMs,
      nodes: nodeViews.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
      pods: this.#pods.list().flatMap(({ view }) => (view === undefined ? [] : [view])),
      namespaces: new Map(
        this.#namespaces?.list().map(({ metadata }) => [metadata.name, metadata.labels ?? {}] as const),
      ),
      budgets: (this.#budgets?.list() ?? []).map(budgetView),
      storageClasses: new Map(this.#claims?.list().map(storageClassOf)),
      metrics,
    }
  }

  evacuations(): readonly Evacuation[] {
    return this.#evacuations?.list() ?? []
  }

  /** Reports each that comes to be from now on. */
  onEvacuation(handler: (evacuation: Evacuation) => void): Disposable {
    const subscription = this.#evacuations?.subscribe(({ kind, object }) => {
      if (kind === 'added') handler(object)
    })
    return subscription ?? { [Symbol.dispose]: () => {} }
  }

  #all(): readonly Pick<Informer<KubernetesObject>, 'run' | 'synced'>[] {
    const some = [this.#evacuations, this.#namespaces, this.#budgets, this.#claims]
    return [this.#nodes, this.#pods, ...some.filter((informer) => informer !== undefined)]
  }
}

function reducedTo<Source extends KubernetesObject, View>(
  object: Reduced<Source, View>,
  reduce: (whole: Source) => View,
): Reduced<Source, View> {
  const { name, namespace, uid, resourceVersion } = object.metadata
  // Spreading the namespace in would take up half as much again, for each pod of the cluster.
  const metadata = namespace === undefined ? { name, uid, resourceVersion } : { name, uid, resourceVersion, namespace }
  return { metadata, view: reduce(object) } as Reduced<Source, View>
}

function budgetView({ metadata, spec }: PodDisruptionBudget): BudgetView {
  return { namespace: metadata.namespace, selector: spec?.selector }
}

function storageClassOf({
  metadata,
  spec,
}: PersistentVolumeClaim): readonly [claim: string, storageClass: string | undefined] {
  return [`${metadata.namespace}/${metadata.name}`, spec?.storageClassName]
}
