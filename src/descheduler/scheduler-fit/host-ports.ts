import { breath, type InBreaths } from '../plugin.ts'
import type { HostPortView, PodView } from '../view.ts'
import { nowhere, type Topology } from './topology.ts'
import type { Cohorts, Watcher } from './cohorts.ts'
import type { FitRule, Newcomer } from './fit-rule.ts'

/** How many pods listen on each address of a port, by position of their node. */
type Listeners = Map<number, Map<string, number>>

const everyAddress = '0.0.0.0'

/** Which ports of the nodes are taken. Few pods take any. */
export class HostPorts implements Watcher {
  readonly #topology: Topology
  readonly #cohorts: Cohorts
  /** By protocol and port. */
  readonly #taken = new Map<string, Listeners>()
  #isComplete = false
  #version = 0

  constructor(topology: Topology, cohorts: Cohorts) {
    this.#topology = topology
    this.#cohorts = cohorts
  }

  *rulesFor({ template: { hostPorts } }: Newcomer): InBreaths<readonly FitRule[]> {
    if (hostPorts.length === 0) return []
    yield* this.#complete()
    const isTakenAt = (port: HostPortView, position: number) => this.#isTaken(port, position)
    const version = () => this.#version
    const rule: FitRule = {
      key: `ports ${JSON.stringify(hostPorts)}`,
      get version() {
        return version()
      },
      shareOf: () => ({ own: nowhere, floor: 0 }),
      misfitAt: (position) => {
        const taken = hostPorts.find((port) => isTakenAt(port, position))
        return taken === undefined ? undefined : `has a pod on the host port ${nameOf(taken)}`
      },
    }
    return [rule]
  }

  remove(pod: PodView): void {
    this.#version++
    this.#add(pod, -1)
  }

  *#complete(): InBreaths<void> {
    if (this.#isComplete) return
    this.#isComplete = true
    let taken = 0
    for (const cohort of this.#cohorts.listIn(undefined)) {
      if (cohort.template.hostPorts.length === 0) continue
      for (const pod of cohort.pods) {
        if (++taken % podsBetweenBreaths === 0) yield breath
        if (this.#cohorts.isThere(pod)) this.#add(pod, 1)
      }
      cohort.watchers.push(this)
    }
  }

  #add({ nodeName, template }: PodView, change: 1 | -1): void {
    const position = this.#topology.positionOf(nodeName)
    for (const port of template.hostPorts) {
      const listeners = entryOf(this.#taken, nameOf(port), () => new Map<number, Map<string, number>>())
      const byAddress = entryOf(listeners, position, () => new Map<string, number>())
      byAddress.set(port.ip, (byAddress.get(port.ip) ?? 0) + change)
    }
  }

  /** On the same address, or where one of both listens on every address. */
  #isTaken(port: HostPortView, position: number): boolean {
    const byAddress = this.#taken.get(nameOf(port))?.get(position)
    if (byAddress === undefined) return false
    if (port.ip === everyAddress) return byAddress.values().some((count) => count > 0)
    return [port.ip, everyAddress].some((ip) => (byAddress.get(ip) ?? 0) > 0)
  }
}

const podsBetweenBreaths = 5_000

const nameOf = ({ protocol, port }: HostPortView) => `${protocol}/${port}`

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  let value = map.get(key)
  if (value === undefined) map.set(key, (value = create()))
  return value
}
