import type { Amounts } from '../../api/pod-requests.ts'
import { toleratesCordon } from '../../api/taints.ts'
import { DenseMisfits } from '../misfits.ts'
import { obstacleOn } from '../node-fit.ts'
import { Answer, describeObstacles, requestKeyOf } from '../node-search.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'
import type { FitRule, Share } from './fit-rule.ts'
import type { SchedulerRules } from './scheduler-rules.ts'

// Whether a pod could run elsewhere, as the scheduler sees it. It does not look at volumes that are bound to nodes, nor
// at preemption: the view has no volumes, and a pod that would have to preempt others is better left where it is.

/** The answer for templates with these parts and equal requests. */
interface NumberedAnswer extends Pick<PodTemplateView, 'nodeSelector' | 'requiredNodeAffinity' | 'tolerations'> {
  readonly number: number
  readonly answer: Answer
}

/** Finds out whether pods fit another node. Pods that look the same to every rule share a search. */
export class SchedulerFit {
  readonly #rules: SchedulerRules
  readonly #destinations: readonly NodeView[]
  /** Of the destinations, among all nodes. */
  readonly #positions: ReadonlyMap<string, number>
  readonly #answers = new Map<string, NumberedAnswer>()
  readonly #lastAnswers = new Map<Amounts, NumberedAnswer>()
  readonly #searches = new Map<string, Search>()
  /** By namespace and template. */
  readonly #searchOf = new Map<string, Map<PodTemplateView, Search>>()

  constructor(destinations: readonly NodeView[], rules: SchedulerRules) {
    this.#rules = rules
    this.#destinations = destinations
    this.#positions = new Map(destinations.map(({ name }) => [name, rules.topology.positionOf(name)]))
  }

  /** Why a pod fits no node but its own; undefined: it fits another. */
  findObstacle(pod: PodView): string | undefined {
    this.#rules.catchUp()
    return this.#searchFor(pod).findObstacle(pod, this.#positions.get(pod.nodeName))
  }

  #searchFor({ namespace, template }: PodView): Search {
    let byTemplate = this.#searchOf.get(namespace)
    if (byTemplate === undefined) this.#searchOf.set(namespace, (byTemplate = new Map()))
    const known = byTemplate.get(template)
    if (known !== undefined) return known
    const rules = this.#rules.rulesFor({ namespace, template })
    const { number, answer } = this.#answerFor(template)
    const key = [number, ...rules.map((rule) => rule.key)].join(',')
    let search = this.#searches.get(key)
    if (search === undefined) {
      search = new Search(answer, rules)
      this.#searches.set(key, search)
    }
    byTemplate.set(template, search)
    return search
  }

  /** Which nodes fit by what they say of themselves, and by their room: such a node fits for the rest of the cycle. */
  #answerFor(template: PodTemplateView): NumberedAnswer {
    const { requests, nodeSelector, requiredNodeAffinity, tolerations } = template
    // Templates that differ in their labels alone have the same parts.
    const last = this.#lastAnswers.get(requests)
    const isSame =
      last?.nodeSelector === nodeSelector &&
      last.requiredNodeAffinity === requiredNodeAffinity &&
      last.tolerations === tolerations
    if (isSame) return last
    const key = requestKeyOf(template)
    const known = this.#answers.get(key)
    const number = known?.number ?? this.#answers.size
    const answer = known?.answer ?? this.#createAnswer(template)
    const numbered = { number, answer, nodeSelector, requiredNodeAffinity, tolerations }
    this.#answers.set(key, numbered)
    this.#lastAnswers.set(requests, numbered)
    return numbered
  }

  #createAnswer(template: PodTemplateView): Answer {
    const ignoresCordon = toleratesCordon(template.tolerations)
    const count = this.#destinations.length
    const stride = strideFor(count)
    const { topology, state } = this.#rules
    return new Answer(this.#positions, state, {
      nth: (index) =>
        index < count ? topology.positionOf(this.#destinations[(index * stride) % count]?.name ?? '') : undefined,
      misfits: new DenseMisfits(topology.nodes.length),
      look: (position) => {
        const node = topology.nodes[position]
        if (node === undefined) return undefined
        return obstacleOn(ignoresCordon ? { ...node, isCordoned: false } : node, template, state)
      },
    })
  }
}

/** Names of nodes often follow their zones. A search that jumps meets all zones soon, and still every node once. */
function strideFor(count: number): number {
  const divisor = (one: number, other: number): number => (other === 0 ? one : divisor(other, one % other))
  let stride = Math.max(1, Math.round(count * 0.618))
  while (divisor(stride, count) !== 1) stride++
  return stride
}

/** What was found out for pods with equal shares. */
interface Findings {
  readonly shares: readonly Share[]
  readonly fitting: number[]
  readonly tally: Map<string, number>
  /** How many of the nodes with room were looked at. */
  looked: number
}

/** The search of pods that are under the same rules. */
class Search {
  readonly #withRoom: Answer
  readonly #rules: readonly FitRule[]
  #version = 0
  /** By the shares of the pod that asks. They hold until a pod leaves that one of the rules counts. */
  readonly #findings = new Map<string, Findings>()
  /** Nodes that fitted lately, for any shares. */
  #lately: readonly number[] = []

  constructor(withRoom: Answer, rules: readonly FitRule[]) {
    this.#withRoom = withRoom
    this.#rules = rules
  }

  /** `own` is the position of its own node, if that is among the destinations. */
  findObstacle(pod: PodView, own: number | undefined): string | undefined {
    const shares = this.#rules.map((rule) => rule.shareOf(pod))
    const isOther = (position: number) => position !== own
    if (this.#lately.some((position) => isOther(position) && this.#misfitAt(position, shares) === undefined)) {
      return undefined
    }
    const findings = this.#findingsFor(shares)
    this.#findTwo(findings)
    if (findings.fitting.length > 0) this.#lately = [...findings.fitting]
    if (findings.fitting.some(isOther)) return undefined
    const misfitAt = (position: number) =>
      this.#withRoom.misfitAt(position) === undefined ? this.#misfitAt(position, shares) : undefined
    return describeObstacles([this.#withRoom, { tally: findings.tally, misfitAt }], own)
  }

  #findingsFor(shares: readonly Share[]): Findings {
    const version = this.#rules.reduce((sum, rule) => sum + rule.version, 0)
    if (version !== this.#version) this.#findings.clear()
    this.#version = version
    const key = shares.map(({ own, floor }) => `${own} ${floor}`).join(',')
    let findings = this.#findings.get(key)
    if (findings === undefined) {
      findings = { shares, fitting: [], tally: new Map(), looked: 0 }
      this.#findings.set(key, findings)
    }
    return findings
  }

  /** Of two nodes that fit one is not the pod's own. */
  #findTwo(findings: Findings): void {
    const { shares, fitting, tally } = findings
    while (fitting.length < 2) {
      const position = this.#withRoom.nthFitting(findings.looked)
      if (position === undefined) return
      findings.looked++
      const misfit = this.#misfitAt(position, shares)
      if (misfit === undefined) fitting.push(position)
      else tally.set(misfit, (tally.get(misfit) ?? 0) + 1)
    }
  }

  #misfitAt(position: number, shares: readonly Share[]): string | undefined {
    for (const [index, rule] of this.#rules.entries()) {
      const share = shares[index]
      const misfit = share === undefined ? undefined : rule.misfitAt(position, share)
      if (misfit !== undefined) return misfit
    }
    return undefined
  }
}
