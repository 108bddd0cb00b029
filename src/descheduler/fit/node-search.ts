import { misfitOf, repulsionOf, type Newcomer, type Occupancy } from './node-fit.ts'
import { NodeTable } from './node-table.ts'
import { DenseMisfits, SparseMisfits, type Misfits } from './misfits.ts'
import { WordTally } from './word-tally.ts'
import type { NodeView, PodTemplateView, PodView } from '../view.ts'

/** Nodes from which pods only ever go, as within a cycle. */
export interface EmptyingNodes extends Occupancy {
  /** A node's name is added each time that a pod has left it. */
  readonly vacated: readonly string[]
}

/**
 * Finds nodes that pods fit. Pods that ask for the same share one answer: a node that has room keeps it, and one that
 * has none is looked at again only after a pod has left it.
 */
export class NodeSearch {
  readonly #nodes: readonly NodeView[]
  readonly #occupancy: EmptyingNodes
  readonly #table: NodeTable
  readonly #positions: ReadonlyMap<string, number>
  /** By what a pod asks of a node alone. */
  readonly #byRequests = new Map<string, Answer>()
  /** By what it asks of the pods there, too. */
  readonly #byNeighbours = new Map<string, Answer>()
  readonly #keys = new Map<PodTemplateView, Keys>()
  /** Where a search last had success: the nodes before it may well be full. */
  #start = 0

  constructor(nodes: readonly NodeView[], occupancy: EmptyingNodes) {
    this.#nodes = nodes
    this.#occupancy = occupancy
    this.#table = new NodeTable(nodes, occupancy)
    this.#positions = new Map(nodes.map(({ name }, position) => [name, position]))
  }

  /** Why a pod fits no node but its own; undefined: it fits another. */
  findObstacle(pod: PodView): string | undefined {
    const own = this.#positions.get(pod.nodeName)
    const answers = this.#answersFor(pod)
    return hasOther(answers, own) ? undefined : describeObstacles(answers, own)
  }

  /** Whether a pod fits a node, its own included, where its requests are met already. */
  fitsAny(pod: PodView): boolean {
    const position = this.#positions.get(pod.nodeName)
    const own = position === undefined ? undefined : this.#nodes[position]
    if (own !== undefined && misfitOf(pod, own, this.#occupancy) === undefined) return true
    return hasOther(this.#answersFor(pod), position)
  }

  /** The last one is about nodes that fit by all that comes before it. */
  #answersFor(pod: PodView): readonly Answer[] {
    const keys = this.#keysOf(pod.template)
    const byRequests = this.#answerByRequests(keys.requests, pod.template)
    if (keys.neighbours === '') {
      byRequests.findTwo()
      return [byRequests]
    }
    const byNeighbours = this.#answerByNeighbours(keys, pod, byRequests)
    byNeighbours.findTwo()
    return [byRequests, byNeighbours]
  }

  #answerByRequests(key: string, template: PodTemplateView): Answer {
    const known = this.#byRequests.get(key)
    if (known !== undefined) return known
    const count = this.#nodes.length
    const start = this.#start
    const look = this.#table.lookFor(template, { ignoresCordon: false })
    const answer = new Answer(this.#positions, this.#occupancy, {
      nth: (index) => (index < count ? (start + index) % count : undefined),
      misfits: new DenseMisfits(count),
      look: (position) => {
        const misfit = look(position)
        if (misfit === undefined) this.#start = position
        return misfit
      },
    })
    this.#byRequests.set(key, answer)
    return answer
  }

  #answerByNeighbours(keys: Keys, { namespace, name, template }: PodView, byRequests: Answer): Answer {
    // In its own namespace the only pod of its name is the pod itself. It is on its own node, which does not count.
    const newcomer: Newcomer = { namespace, name: keys.isAbroad ? name : undefined, template }
    const key = `${newcomer.namespace}/${newcomer.name ?? ''} ${keys.requests} ${keys.neighbours}`
    const known = this.#byNeighbours.get(key)
    if (known !== undefined) return known
    const answer = new Answer(this.#positions, this.#occupancy, {
      nth: (index) => byRequests.nthFitting(index),
      misfits: new SparseMisfits(),
      look: (position) => {
        const node = this.#nodes[position]
        return node === undefined ? undefined : repulsionOf(newcomer, node, this.#occupancy)
      },
    })
    this.#byNeighbours.set(key, answer)
    return answer
  }

  #keysOf(template: PodTemplateView): Keys {
    let keys = this.#keys.get(template)
    if (keys === undefined) this.#keys.set(template, (keys = keysOf(template)))
    return keys
  }
}

/** Pods with the same keys fit the same nodes, apart from their own. */
interface Keys {
  readonly requests: string
  /** Empty: it has no regard to other pods. */
  readonly neighbours: string
  /** A rule of its own is about pods of other namespaces, where one may have its name. */
  readonly isAbroad: boolean
}

/** The same for templates that fit the same nodes, as far as other pods have no say. */
export function requestKeyOf(template: PodTemplateView): string {
  const { nodeSelector, requiredNodeAffinity, tolerations, requests } = template
  return JSON.stringify([nodeSelector, requiredNodeAffinity, tolerations, [...requests]])
}

function keysOf(template: PodTemplateView): Keys {
  const { antiAffinity } = template
  return {
    requests: requestKeyOf(template),
    neighbours: antiAffinity.length === 0 ? '' : JSON.stringify(antiAffinity),
    isAbroad: antiAffinity.some(({ namespaces = [] }) => namespaces.length > 0),
  }
}

function hasOther(answers: readonly Answer[], own: number | undefined): boolean {
  return answers.at(-1)?.fitting.some((position) => position !== own) ?? false
}

/** Where to look, in which order, and at what. */
export interface Survey {
  nth(index: number): number | undefined
  /** Why a node does not fit. */
  look(position: number): string | undefined
  /** Keeps what was seen. */
  readonly misfits: Misfits
}

/** Which nodes fit, as far as the search has come. */
export class Answer {
  readonly #positions: ReadonlyMap<string, number>
  readonly #occupancy: EmptyingNodes
  readonly #survey: Survey
  readonly #fitting: number[] = []
  readonly #tally = new WordTally()
  #next = 0
  #vacatedSeen: number

  constructor(positions: ReadonlyMap<string, number>, occupancy: EmptyingNodes, survey: Survey) {
    this.#positions = positions
    this.#occupancy = occupancy
    this.#survey = survey
    this.#vacatedSeen = occupancy.vacated.length
  }

  get fitting(): readonly number[] {
    return this.#fitting
  }

  /** Why nodes do not fit, and how many. Complete once the search has come to its end. */
  get tally(): ReadonlyMap<string, number> {
    return this.#tally.counts()
  }

  misfitAt(position: number): string | undefined {
    return this.#survey.misfits.get(position)
  }

  /** A pod has one node of its own, so of two that fit one is another. */
  findTwo(): void {
    this.nthFitting(1)
  }

  nthFitting(index: number): number | undefined {
    if (this.#fitting.length <= index) this.#lookAgain()
    while (this.#fitting.length <= index) {
      const position = this.#survey.nth(this.#next)
      if (position === undefined) return undefined
      this.#next++
      this.#lookAt(position)
    }
    return this.#fitting[index]
  }

  #lookAgain(): void {
    const { vacated } = this.#occupancy
    for (; this.#vacatedSeen < vacated.length; this.#vacatedSeen++) {
      const position = this.#positions.get(vacated[this.#vacatedSeen] ?? '')
      if (position !== undefined && this.misfitAt(position) !== undefined) this.#lookAt(position)
    }
  }

  #lookAt(position: number): void {
    const [before, now] = [this.misfitAt(position), this.#survey.look(position)]
    this.#survey.misfits.set(position, now)
    if (before !== undefined) this.#tally.add(before, -1)
    if (now === undefined) this.#fitting.push(position)
    else this.#tally.add(now, 1)
  }
}

const partsMax = 4

/** `own` is the position of the pod's own node. */
export function describeObstacles(
  answers: readonly Pick<Answer, 'tally' | 'misfitAt'>[],
  own: number | undefined,
): string {
  const parts = answers
    .flatMap((answer) => {
      const ofOwn = own === undefined ? undefined : answer.misfitAt(own)
      return [...answer.tally].map(([words, count]) => ({ words, count: words === ofOwn ? count - 1 : count }))
    })
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count || (one.words < other.words ? -1 : 1))
  if (parts.length === 0) return 'there is no other node that it could go to'
  const rest = parts.slice(partsMax).reduce((sum, { count }) => sum + count, 0)
  const told = parts.slice(0, partsMax).map(({ words, count }) => `${count} ${count === 1 ? words : pluralOf(words)}`)
  return `it fits no other node: ${told.join(', ')}${rest === 0 ? '' : `, and ${rest} more`}`
}

function pluralOf(words: string): string {
  return words.replace(/^(is|has|does) /, (_, verb: string) => `${plurals[verb] ?? verb} `)
}

const plurals: Readonly<Record<string, string>> = { is: 'are', has: 'have', does: 'do' }
