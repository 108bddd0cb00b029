import type { LabelSelector } from '../../api/kubernetes/meta.ts'
import { labelOf, matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { breath, type InBreaths } from '../plugin.ts'
import { isActive } from '../cycle/pods-listed.ts'
import type { PodTemplateView, PodView } from '../view.ts'
import { nowhere, type Topology } from './topology.ts'

/** Is told of each pod of a cohort that leaves. */
export interface Watcher {
  remove(pod: PodView): void
}

/** Pods that every selector of labels and namespaces treats alike. */
export interface Cohort {
  readonly namespace: string
  readonly template: PodTemplateView
  /** Those that have left since stay in it. */
  readonly pods: PodView[]
  /** Of their nodes, in the same order; nowhere: that node is not known. */
  readonly positions: number[]
  readonly watchers: Watcher[]
}

type ByValue = ReadonlyMap<string, readonly Cohort[]>

/** The pods that the scheduler counts: on a node of the cluster, neither Succeeded nor Failed, and not sent away. */
export class Cohorts {
  readonly #topology: Topology
  readonly #byNamespace = new Map<string, Map<PodTemplateView, Cohort>>()
  readonly #gone = new Set<string>()
  /** By namespace (undefined: all of them) and key of a label, made when a selector first asks for it. */
  readonly #byLabel = new Map<string | undefined, Map<string, ByValue>>()
  readonly #listed = new Map<string | undefined, readonly Cohort[]>()

  constructor(topology: Topology) {
    this.#topology = topology
  }

  /** Every pod is taken before the first selector asks. */
  take(pod: PodView): void {
    if (!isActive(pod)) return
    const { namespace, template } = pod
    let byTemplate = this.#byNamespace.get(namespace)
    if (byTemplate === undefined) this.#byNamespace.set(namespace, (byTemplate = new Map()))
    let cohort = byTemplate.get(template)
    if (cohort === undefined) {
      cohort = { namespace, template, pods: [], positions: [], watchers: [] }
      byTemplate.set(template, cohort)
    }
    cohort.pods.push(pod)
    cohort.positions.push(this.#topology.positionOf(pod.nodeName))
  }

  leave(pod: PodView): void {
    if (!this.isThere(pod)) return
    this.#gone.add(pod.uid)
    for (const watcher of this.#byNamespace.get(pod.namespace)?.get(pod.template)?.watchers ?? []) watcher.remove(pod)
  }

  isThere(pod: PodView): boolean {
    return isActive(pod) && !this.hasLeft(pod) && this.#topology.positionOf(pod.nodeName) !== nowhere
  }

  hasLeft({ uid }: PodView): boolean {
    return this.#gone.size > 0 && this.#gone.has(uid)
  }

  /** In a namespace, or (undefined) in all of them. */
  listIn(namespace: string | undefined): readonly Cohort[] {
    let cohorts = this.#listed.get(namespace)
    if (cohorts === undefined) {
      cohorts =
        namespace === undefined
          ? Array.from(this.#byNamespace.values(), (byTemplate) => Array.from(byTemplate.values())).flat()
          : [...(this.#byNamespace.get(namespace)?.values() ?? [])]
      this.#listed.set(namespace, cohorts)
    }
    return cohorts
  }

  /** No selector selects nothing. */
  *selectedBy(selector: LabelSelector | undefined, namespace: string | undefined): InBreaths<readonly Cohort[]> {
    if (selector === undefined) return []
    const candidates = yield* this.#candidatesFor(selector, namespace)
    const selected: Cohort[] = []
    for (const [index, cohort] of candidates.entries()) {
      if (matchesLabelSelector(selector, cohort.template.labels)) selected.push(cohort)
      if (index % cohortsBetweenBreaths === cohortsBetweenBreaths - 1) yield breath
    }
    return selected
  }

  /** All that a selector may select, and not many more: one namespace may hold all pods of the cluster. */
  *#candidatesFor(
    { matchLabels = {}, matchExpressions = [] }: LabelSelector,
    namespace: string | undefined,
  ): InBreaths<readonly Cohort[]> {
    let fewest = this.listIn(namespace)
    const demands: readonly (readonly [string, readonly string[]])[] = [
      ...Object.entries(matchLabels).map(([key, value]) => [key, [value]] as const),
      ...matchExpressions
        .filter(({ operator }) => operator === 'In')
        .map(({ key, values = [] }) => [key, [...new Set(values)]] as const),
    ]
    for (const [key, values] of demands) {
      const byValue = yield* this.#cohortsBy(key, namespace)
      const cohorts =
        values.length === 1 ? byValue.get(values[0] ?? '') : values.flatMap((value) => byValue.get(value) ?? [])
      if (cohorts === undefined) return []
      if (cohorts.length < fewest.length) fewest = cohorts
    }
    return fewest
  }

  *#cohortsBy(key: string, namespace: string | undefined): InBreaths<ByValue> {
    let byKey = this.#byLabel.get(namespace)
    if (byKey === undefined) this.#byLabel.set(namespace, (byKey = new Map()))
    const known = byKey.get(key)
    if (known !== undefined) return known
    const byValue = new Map<string, Cohort[]>()
    for (const [index, cohort] of this.listIn(namespace).entries()) {
      const value = labelOf(cohort.template.labels, key)
      const there = value === undefined ? undefined : byValue.get(value)
      if (there !== undefined) there.push(cohort)
      else if (value !== undefined) byValue.set(value, [cohort])
      if (index % cohortsBetweenBreaths === cohortsBetweenBreaths - 1) yield breath
    }
    byKey.set(key, byValue)
    return byValue
  }
}

const cohortsBetweenBreaths = 2_000
