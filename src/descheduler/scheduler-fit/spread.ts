import type { TopologySpreadConstraint } from '../../api/kubernetes/scheduling.ts'
import { labelOf, matchesLabelSelector } from '../../api/kubernetes/label-selector.ts'
import { findUntolerated } from '../../api/kubernetes/taints.ts'
import { isAllowedOn } from '../fit/node-fit.ts'
import type { InBreaths } from '../plugin.ts'
import type { NodeView, PodTemplateView } from '../view.ts'
import type { Cohorts } from './cohorts.ts'
import { DomainCounts } from './domain-counts.ts'
import type { FitRule, Newcomer } from './fit-rule.ts'
import { narrowed } from './label-keys.ts'
import { nowhere, type Topology } from './topology.ts'

/** The nodes that count for a constraint. */
interface EligibleNodes {
  readonly number: number
  /** By position. */
  readonly isEligible: Uint8Array
  readonly domainsByKey: Map<string, number>
}

interface SpreadCounts {
  readonly number: number
  readonly counts: DomainCounts
  readonly domains: number
}

interface CountedConstraint {
  readonly constraint: TopologySpreadConstraint
  readonly selector: TopologySpreadConstraint['labelSelector']
  readonly spread: SpreadCounts
  /** For pods that are counted themselves, and for pods that are not. */
  readonly rules: Map<boolean, FitRule>
}

type NodeDemands = Pick<PodTemplateView, 'nodeSelector' | 'requiredNodeAffinity' | 'tolerations'>

/** Constraints with DoNotSchedule, as the scheduler sees them. */
export class Spread {
  readonly #topology: Topology
  readonly #cohorts: Cohorts
  readonly #eligible = new Map<string, EligibleNodes>()
  readonly #counts = new Map<string, SpreadCounts>()
  /** The constraints of the last pod that had this list, and what else they depended on. */
  readonly #known = new Map<
    readonly TopologySpreadConstraint[],
    NodeDemands & { readonly namespace: string; readonly counted: readonly CountedConstraint[] }
  >()

  constructor(topology: Topology, cohorts: Cohorts) {
    this.#topology = topology
    this.#cohorts = cohorts
  }

  *rulesFor({ namespace, template }: Newcomer): InBreaths<readonly FitRule[]> {
    const all = yield* this.#countedFor(namespace, template)
    return all.map((counted) => {
      const { selector } = counted
      return ruleOf(counted, selector !== undefined && matchesLabelSelector(selector, template.labels))
    })
  }

  /** Templates that differ in their labels alone have the same lists, which are looked up once. */
  *#countedFor(namespace: string, template: PodTemplateView): InBreaths<readonly CountedConstraint[]> {
    const { spreadConstraints, nodeSelector, requiredNodeAffinity, tolerations } = template
    if (spreadConstraints.length === 0) return []
    const known = this.#known.get(spreadConstraints)
    const isKnown =
      known?.namespace === namespace &&
      known.nodeSelector === nodeSelector &&
      known.requiredNodeAffinity === requiredNodeAffinity &&
      known.tolerations === tolerations
    if (isKnown) return known.counted
    const hard = spreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
    const keys = [...new Set(hard.map(({ topologyKey }) => topologyKey))].toSorted()
    const counted: CountedConstraint[] = []
    for (const constraint of hard) {
      const { matchLabelKeys = [] } = constraint
      const selector = narrowed(constraint.labelSelector, { matchLabelKeys }, template.labels)
      const spread = yield* this.#countsFor(constraint, selector, keys, { namespace, template })
      counted.push({ constraint, selector, spread, rules: new Map() })
    }
    if (hard.every(({ matchLabelKeys = [] }) => matchLabelKeys.length === 0)) {
      this.#known.set(spreadConstraints, { namespace, nodeSelector, requiredNodeAffinity, tolerations, counted })
    }
    return counted
  }

  /** Of the namespace of the pod, without those that are being deleted. */
  *#countsFor(
    constraint: TopologySpreadConstraint,
    selector: TopologySpreadConstraint['labelSelector'],
    keys: readonly string[],
    { namespace, template }: Newcomer,
  ): InBreaths<SpreadCounts> {
    const { topologyKey } = constraint
    const eligible = this.#eligibleFor(constraint, keys, template)
    const key = JSON.stringify([namespace, topologyKey, selector, eligible.number])
    const known = this.#counts.get(key)
    if (known !== undefined) return known
    const counts = yield* DomainCounts.build(this.#topology, this.#cohorts, {
      topologyKey,
      members: yield* this.#cohorts.selectedBy(selector, namespace),
      counts: ({ isTerminating }, position) => !isTerminating && eligible.isEligible[position] === 1,
    })
    const spread = { number: this.#counts.size, counts, domains: this.#domainsIn(eligible, topologyKey) }
    this.#counts.set(key, spread)
    return spread
  }

  #domainsIn({ isEligible, domainsByKey }: EligibleNodes, topologyKey: string): number {
    let domains = domainsByKey.get(topologyKey)
    if (domains === undefined) {
      const { ofNodes } = this.#topology.domainsBy(topologyKey)
      domains = new Set(ofNodes.filter((_, position) => isEligible[position] === 1)).size
      domainsByKey.set(topologyKey, domains)
    }
    return domains
  }

  /** Nodes with all keys of the constraints that are for the pod, as far as the constraint honours that. */
  #eligibleFor(
    { nodeAffinityPolicy, nodeTaintsPolicy }: TopologySpreadConstraint,
    keys: readonly string[],
    template: PodTemplateView,
  ): EligibleNodes {
    const { nodeSelector, requiredNodeAffinity, tolerations } = template
    const honoursAffinity = nodeAffinityPolicy !== 'Ignore'
    const honoursTaints = nodeTaintsPolicy === 'Honor'
    const affinity = honoursAffinity ? [nodeSelector, requiredNodeAffinity] : undefined
    const key = JSON.stringify([keys, affinity, honoursTaints ? tolerations : undefined])
    const known = this.#eligible.get(key)
    if (known !== undefined) return known
    const counts = (node: NodeView) =>
      keys.every((label) => labelOf(node.labels, label) !== undefined) &&
      (!honoursAffinity || isAllowedOn(template, node)) &&
      (!honoursTaints || findUntolerated(node.taints, tolerations, repellingEffects) === undefined)
    const eligible = {
      number: this.#eligible.size,
      isEligible: Uint8Array.from(this.#topology.nodes, (node) => Number(counts(node))),
      domainsByKey: new Map<string, number>(),
    }
    this.#eligible.set(key, eligible)
    return eligible
  }
}

/** `isCounted`: the pod that asks is one of those that count, as long as it is there. */
function ruleOf({ constraint, spread, rules }: CountedConstraint, isCounted: boolean): FitRule {
  const known = rules.get(isCounted)
  if (known !== undefined) return known
  const { maxSkew, minDomains = 1, topologyKey } = constraint
  const { number, counts, domains } = spread
  const noLabel = `has no label ${topologyKey}, which its spread asks for`
  const tooMany = `has too many such pods in its domain of ${topologyKey}`
  const lowest = () => (domains < minDomains ? 0 : counts.lowestOf(domains))
  const rule: FitRule = {
    key: `spread ${number} ${isCounted} ${maxSkew} ${minDomains}`,
    get version() {
      return counts.version
    },
    shareOf: (pod) => {
      const own = isCounted ? counts.domainOf(pod) : nowhere
      if (own === nowhere) return { own, floor: lowest() }
      return { own: counts.isOneNode(own) ? nowhere : own, floor: Math.min(lowest(), counts.countIn(own) - 1) }
    },
    misfitAt: (position, { own, floor }) => {
      const domain = counts.domainAt(position)
      if (domain === nowhere) return noLabel
      const others = counts.countIn(domain) - Number(domain === own)
      return others + Number(isCounted) - floor > maxSkew ? tooMany : undefined
    },
  }
  rules.set(isCounted, rule)
  return rule
}

const repellingEffects = ['NoSchedule', 'NoExecute'] as const
