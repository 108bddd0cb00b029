import { barrierOf, lacking, noSeat, onePod, roomFor } from './node-fit.ts'
import type { EmptyingNodes } from './node-search.ts'
import type { NodeView, PodTemplateView } from '../view.ts'

export interface LookChoices {
  /** The pod may go to a cordoned node. */
  readonly ignoresCordon: boolean
}

/** Why a pod of a template finds no place on the node at a position; undefined: it does. */
export type Look = (position: number) => string | undefined

/**
 * The nodes in columns, for thousands of looks at thousands of nodes. What a look finds out is what obstacleOn says,
 * and is found out once: what keeps pods away for pods with the same demands, room until a pod leaves the node.
 */
export class NodeTable {
  readonly #nodes: readonly NodeView[]
  readonly #occupancy: EmptyingNodes
  readonly #positions: ReadonlyMap<string, number>
  readonly #barriers = new Map<string, Barriers>()
  readonly #rooms = new Map<string, Float64Array>()
  #vacatedSeen: number

  constructor(nodes: readonly NodeView[], occupancy: EmptyingNodes) {
    this.#nodes = nodes
    this.#occupancy = occupancy
    this.#positions = new Map(nodes.map(({ name }, position) => [name, position]))
    this.#vacatedSeen = occupancy.vacated.length
  }

  lookFor(template: PodTemplateView, { ignoresCordon }: LookChoices): Look {
    const barriers = this.#barriersFor(template, ignoresCordon)
    const demands = [...template.requests].map(([resource, amount]) => ({
      resource,
      amount,
      room: this.#roomsOf(resource),
      words: lacking(resource),
    }))
    const seats = this.#roomsOf('pods')
    return (position) => {
      this.#catchUp()
      const barrier = barriers.at(position)
      if (barrier !== undefined) return barrier
      for (const { resource, amount, room, words } of demands) {
        if (amount > this.#roomAt(resource, room, position)) return words
      }
      return this.#roomAt('pods', seats, position) < onePod ? noSeat : undefined
    }
  }

  #roomAt(resource: string, room: Float64Array, position: number): number {
    const known = room[position] ?? 0
    if (!Number.isNaN(known)) return known
    const node = this.#nodes[position]
    const found = node === undefined ? 0 : roomFor(resource, node.allocatable, this.#occupancy.usedOn(node.name))
    room[position] = found
    return found
  }

  #roomsOf(resource: string): Float64Array {
    let room = this.#rooms.get(resource)
    if (room === undefined) {
      room = new Float64Array(this.#nodes.length).fill(unknown)
      this.#rooms.set(resource, room)
    }
    return room
  }

  #catchUp(): void {
    const { vacated } = this.#occupancy
    for (; this.#vacatedSeen < vacated.length; this.#vacatedSeen++) {
      const position = this.#positions.get(vacated[this.#vacatedSeen] ?? '')
      if (position === undefined) continue
      for (const room of this.#rooms.values()) room[position] = unknown
    }
  }

  #barriersFor(template: PodTemplateView, ignoresCordon: boolean): Barriers {
    const { nodeSelector, requiredNodeAffinity, tolerations } = template
    const key = JSON.stringify([ignoresCordon, nodeSelector, requiredNodeAffinity, tolerations])
    let barriers = this.#barriers.get(key)
    if (barriers === undefined) {
      const look = barrierOf(template)
      barriers = new Barriers(this.#nodes.length, (position) => {
        const node = this.#nodes[position]
        if (node === undefined) return undefined
        return look(ignoresCordon && node.isCordoned ? { ...node, isCordoned: false } : node)
      })
      this.#barriers.set(key, barriers)
    }
    return barriers
  }
}

const unknown = Number.NaN

/** What nodes say of themselves, to pods with the same demands. */
class Barriers {
  readonly #look: Look
  readonly #codes: Uint8Array
  readonly #words: (string | undefined)[] = [undefined, undefined]

  constructor(count: number, look: Look) {
    this.#look = look
    this.#codes = new Uint8Array(count)
  }

  at(position: number): string | undefined {
    const code = this.#codes[position] ?? notLooked
    if (code !== notLooked) return this.#words[code]
    const words = this.#look(position)
    const index = words === undefined ? noBarrier : this.#indexOf(words)
    // There are as many different words as taints. Beyond what a byte can tell, a node is looked at each time.
    if (index !== -1) this.#codes[position] = index
    return words
  }

  #indexOf(words: string): number {
    const known = this.#words.indexOf(words)
    return known !== -1 || this.#words.length > codesMax ? known : this.#words.push(words) - 1
  }
}

const notLooked = 0
const noBarrier = 1
const codesMax = 255
