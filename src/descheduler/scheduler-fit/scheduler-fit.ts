import type { Amounts } from '../../api/kubernetes/pod-requests.ts'
import { toleratesCordon } from '../../api/kubernetes/taints.ts'
import { DenseMisfits } from '../fit/misfits.ts'
import { Answer, describeObstacles, requestKeyOf } from '../fit/node-search.ts'
import { NodeTable } from '../fit/node-table.ts'
import { atOnce, breath, type InBreaths } from '../plugin.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'
import { WordTally } from '../fit/word-tally.ts'
import type { FitRule, Share } from './fit-rule.ts'
import type { SchedulerRules } from './scheduler-rules.ts'
import { nowhere } from './topology.ts'

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
  readonly #table: NodeTable
  /** Of the destinations, among all nodes. */
  readonly #positions: ReadonlyMap<string, number>
  /** The same, in the order in which they are searched. */
  readonly #course: Int32Array
  readonly #answers = new Map<string, NumberedAnswer>()
  readonly #lastAnswers = new Map<Amounts, NumberedAnswer>()
  readonly #searches = new Map<string, Search>()
  /** By namespace and template. */
  readonly #searchOf = new Map<string, Map<PodTemplateView, Search>>()

  constructor(destinations: readonly NodeView[], rules: SchedulerRules) {
    this.#rules = rules
    this.#table = new NodeTable(rules.topology.nodes, rules.state)
    this.#positions = new Map(destinations.map(({ name }) => [name, rules.topology.positionOf(name)]))
    const [count, stride] = [destinations.length, strideFor(destinations.length)]
    const inOrder = [...this.#positions.values()]
    this.#course = Int32Array.from(inOrder, (_, index) => inOrder[(index * stride) % count] ?? nowhere)
  }

  /** Why a pod fits no node but its own; undefined: it fits another. */
  findObstacle(pod: PodView): string | undefined {
    return atOnce(this.#answer(pod))
  }

  /** Does what is long of it, and the answer is there at once afterwards, as long as no pod leaves. */
  *consider(pod: PodView): InBreaths<void> {
    yield* this.#answer(pod)
  }

  *#answer(pod: PodView): InBreaths<string | undefined> {
    yield* this.#rules.prepare()
    this.#rules.catchUp()
    const search = yield* this.#searchFor(pod)
    return yield* search.findObstacle(pod, this.#positions.get(pod.nodeName))
  }

  *#searchFor({ namespace, template }: PodView): InBreaths<Search> {
    let byTemplate = this.#searchOf.get(namespace)
    if (byTemplate === undefined) this.#searchOf.set(namespace, (byTemplate = new Map()))
    const known = byTemplate.get(template)
    if (known !== undefined) return known
    const rules = yield* this.#rules.rulesFor({ namespace, template })
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
    const { topology, state } = this.#rules
    return new Answer(this.#positions, state, {
      nth: (index) => this.#course[index],
      misfits: new DenseMisfits(topology.nodes.length),
      look: this.#table.lookFor(template, { ignoresCordon: toleratesCordon(template.tolerations) }),
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
  readonly tally: WordTally
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
  *findObstacle(pod: PodView, own: number | undefined): InBreaths<string | undefined> {
    const shares = this.#rules.map((rule) => rule.shareOf(pod))
    const isOther = (position: number) => position !== own
    if (this.#lately.some((position) => isOther(position) && this.#misfitAt(position, shares) === undefined)) {
      return undefined
    }
    const findings = this.#findingsFor(shares)
    yield* this.#findTwo(findings)
    if (findings.fitting.length > 0) this.#lately = [...findings.fitting]
    if (findings.fitting.some(isOther)) return undefined
    const misfitAt = (position: number) =>
      this.#withRoom.misfitAt(position) === undefined ? this.#misfitAt(position, shares) : undefined
    return describeObstacles([this.#withRoom, { tally: findings.tally.counts(), misfitAt }], own)
  }

  #findingsFor(shares: readonly Share[]): Findings {
    const version = this.#rules.reduce((sum, rule) => sum + rule.version, 0)
    if (version !== this.#version) this.#findings.clear()
    this.#version = version
    const key = shares.map(({ own, floor }) => `${own} ${floor}`).join(',')
    let findings = this.#findings.get(key)
    if (findings === undefined) {
      findings = { shares, fitting: [], tally: new WordTally(), looked: 0 }
      this.#findings.set(key, findings)
    }
    return findings
  }

  /** Of two nodes that fit one is not the pod's own. */
  *#findTwo(findings: Findings): InBreaths<void> {
    const { shares, fitting, tally } = findings
    const looksBetweenBreaths = Math.ceil(checksBetweenBreaths / (this.#rules.length + 1))
    while (fitting.length < 2) {
      const position = this.#withRoom.nthFitting(findings.looked)
      if (position === undefined) return
      findings.looked++
      if (findings.looked % looksBetweenBreaths === 0) yield breath
      const misfit = this.#misfitAt(position, shares)
      if (misfit === undefined) fitting.push(position)
      else tally.add(misfit, 1)
    }
  }

  #misfitAt(position: number, shares: readonly Share[]): string | undefined {
    for (let index = 0; index < this.#rules.length; index++) {
      const share = shares[index]
      const misfit = share === undefined ? undefined : this.#rules[index]?.misfitAt(position, share)
      if (misfit !== undefined) return misfit
    }
    return undefined
  }
}

const checksBetweenBreaths = 50_000
