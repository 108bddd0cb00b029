import type { LabelSelector } from '../../src/api/kubernetes/meta.ts'
import type { PodAffinityTerm, TopologySpreadConstraint } from '../../src/api/kubernetes/scheduling.ts'
import { matchesLabelSelector } from '../../src/api/kubernetes/label-selector.ts'
import { findUntolerated, toleratesCordon } from '../../src/api/kubernetes/taints.ts'
import { isAllowedOn, obstacleOn, type Occupancy } from '../../src/descheduler/fit/node-fit.ts'
import type { HostPortView, Labels, NodeView, PodView } from '../../src/descheduler/view.ts'

// What the scheduler asks of a node, word for word, with a look at every pod for every answer. It is the measure for
// the search that is fast.

export interface PlainCluster {
  readonly nodes: readonly NodeView[]
  readonly namespaces: ReadonlyMap<string, Labels>
  readonly occupancy: Occupancy
}

/** Whether the scheduler would put a pod on a node if the pod were not there any more. */
export function wouldSchedule(pod: PodView, node: NodeView, cluster: PlainCluster): boolean {
  const others = cluster.nodes
    .flatMap(({ name }) => cluster.occupancy.podsOn(name))
    .filter(({ phase, uid }) => phase !== 'Succeeded' && phase !== 'Failed' && uid !== pod.uid)
  const isCordoned = node.isCordoned && !toleratesCordon(pod.template.tolerations)
  return (
    obstacleOn({ ...node, isCordoned }, pod.template, cluster.occupancy) === undefined &&
    hasPortsFree(pod, node, others) &&
    isSpread(pod, node, others, cluster) &&
    isWellPlaced(pod, node, others, cluster)
  )
}

function hasPortsFree(pod: PodView, node: NodeView, others: readonly PodView[]): boolean {
  const taken = others.filter(({ nodeName }) => nodeName === node.name).flatMap(({ template }) => template.hostPorts)
  const clashes = (one: HostPortView, other: HostPortView) =>
    one.port === other.port &&
    one.protocol === other.protocol &&
    (one.ip === other.ip || one.ip === '0.0.0.0' || other.ip === '0.0.0.0')
  return !pod.template.hostPorts.some((wanted) => taken.some((port) => clashes(wanted, port)))
}

function isSpread(pod: PodView, node: NodeView, others: readonly PodView[], { nodes }: PlainCluster): boolean {
  const hard = pod.template.spreadConstraints.filter((one) => one.whenUnsatisfiable === 'DoNotSchedule')
  return hard.every((constraint) => {
    const { topologyKey, maxSkew, minDomains = 1 } = constraint
    const domain = node.labels[topologyKey]
    if (domain === undefined) return false
    const eligible = nodes.filter(
      (one) => hard.every((each) => one.labels[each.topologyKey] !== undefined) && isEligible(constraint, pod, one),
    )
    const isCounted = (labels: Labels) => matchesWithKeys(constraint, constraint.labelSelector, pod, labels)
    const counts = new Map<string, number>()
    for (const { name, labels } of eligible) {
      const there = others.filter(
        (other) =>
          other.nodeName === name &&
          other.namespace === pod.namespace &&
          !other.isTerminating &&
          isCounted(other.template.labels),
      )
      const value = labels[topologyKey] ?? ''
      counts.set(value, (counts.get(value) ?? 0) + there.length)
    }
    const lowest = counts.size < minDomains ? 0 : Math.min(...counts.values())
    return (counts.get(domain) ?? 0) + Number(isCounted(pod.template.labels)) - lowest <= maxSkew
  })
}

function isEligible(constraint: TopologySpreadConstraint, pod: PodView, node: NodeView): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint
  if (nodeAffinityPolicy === 'Honor' && !isAllowedOn(pod.template, node)) return false
  if (nodeTaintsPolicy === 'Ignore') return true
  return findUntolerated(node.taints, pod.template.tolerations, ['NoSchedule', 'NoExecute']) === undefined
}

function isWellPlaced(pod: PodView, node: NodeView, others: readonly PodView[], cluster: PlainCluster): boolean {
  const { podAffinity, antiAffinity } = pod.template
  const labelsOf = (name: string) => cluster.nodes.find((one) => one.name === name)?.labels ?? {}
  const isNear = (other: PodView, { topologyKey }: PodAffinityTerm) =>
    node.labels[topologyKey] !== undefined && labelsOf(other.nodeName)[topologyKey] === node.labels[topologyKey]
  const isRepelled = antiAffinity.some((term) =>
    others.some((other) => isAbout(term, pod, other, cluster) && isNear(other, term)),
  )
  const repels = others.some((other) =>
    other.template.antiAffinity.some((term) => isAbout(term, other, pod, cluster) && isNear(other, term)),
  )
  if (isRepelled || repels) return false
  if (podAffinity.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false
  const isOfGroup = (other: PodView) => podAffinity.every((term) => isAbout(term, pod, other, cluster))
  const group = others.filter(
    (other) =>
      isOfGroup(other) && podAffinity.some(({ topologyKey }) => labelsOf(other.nodeName)[topologyKey] !== undefined),
  )
  if (podAffinity.every((term) => group.some((other) => isNear(other, term)))) return true
  return group.length === 0 && isOfGroup(pod)
}

function isAbout(term: PodAffinityTerm, carrier: PodView, other: PodView, { namespaces }: PlainCluster): boolean {
  const { namespaces: listed = [], namespaceSelector } = term
  const isOwnOnly = listed.length === 0 && namespaceSelector === undefined
  const isNamed = isOwnOnly ? other.namespace === carrier.namespace : listed.includes(other.namespace)
  const isChosen =
    namespaceSelector !== undefined && matchesLabelSelector(namespaceSelector, namespaces.get(other.namespace) ?? {})
  return (isNamed || isChosen) && matchesWithKeys(term, term.labelSelector, carrier, other.template.labels)
}

function matchesWithKeys(
  { matchLabelKeys = [], mismatchLabelKeys = [] }: Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys'>,
  selector: LabelSelector | undefined,
  carrier: PodView,
  labels: Labels,
): boolean {
  const own = carrier.template.labels
  return (
    selector !== undefined &&
    matchesLabelSelector(selector, labels) &&
    matchLabelKeys.every((key) => own[key] === undefined || labels[key] === own[key]) &&
    mismatchLabelKeys.every((key) => own[key] === undefined || labels[key] !== own[key])
  )
}
