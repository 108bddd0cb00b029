import type { ControlLoop } from '../../../runtime/control-loop.ts'
import type { Taint } from '../../../api/kubernetes/scheduling.ts'
import type { Next } from '../../../runtime/work-queue.ts'
import { timestamp } from '../../server/identity.ts'
import { againAt, ownKey, settled, startControlLoop } from '../control-loop.ts'
import type { ControllerParts } from '../controller.ts'
import type { ObjectGroups } from '../object-groups.ts'
import type { Node } from '../objects.ts'
import { getObject, listObjects } from '../typed-store.ts'
import { writeObject, writeStatus } from '../outcome.ts'
import { isReady, withCondition } from '../pod-status.ts'
import {
  executeTroublesOf,
  hasTaints,
  readyOf,
  silentConditions,
  troubleOf,
  withExecuteTaint,
  withoutExecuteTaints,
  withScheduleTaints,
} from './decide-node.ts'
import { hasFallenSilent, observeHealth, type NodeHealth } from './node-health.ts'
import { podsByNode } from './pod-removal.ts'
import { TaintQueue } from './taint-queue.ts'
import { countsInZone, decideDisruption, zoneOf, type ZoneState, type ZoneTally } from './zones.ts'

const monitorKey = 'monitor'
const taintKey = 'taint'
const monitorIntervalMs = 5_000
/** How often upstream looks whether another node may get its NoExecute taint. */
const taintIntervalMs = 100
const attemptsMax = 5

/** Notices nodes that fell silent or were cordoned, and taints them. */
export function startNodeLifecycleController(parts: ControllerParts): AsyncDisposable {
  const pods = podsByNode(parts)
  const controller = new NodeLifecycle(parts, pods)
  const loop: ControlLoop = startControlLoop({
    name: 'node-lifecycle',
    parts,
    reconcile: async (key) => {
      if (key === taintKey) return await controller.taintWaiting()
      if (key !== monitorKey) return await controller.reconcileNode(key)
      const next = await controller.monitor()
      loop.addAfter(taintKey, taintIntervalMs)
      return next
    },
    wakes: { nodes: (object, _previous, type) => (type === 'DELETED' ? [] : ownKey(object)) },
  })
  loop.add(monitorKey)
  return {
    [Symbol.asyncDispose]: async () => {
      await loop[Symbol.asyncDispose]()
      pods[Symbol.dispose]()
    },
  }
}

class NodeLifecycle {
  readonly #parts: ControllerParts
  readonly #pods: ObjectGroups<'pods'>
  readonly #health = new Map<string, NodeHealth>()
  readonly #queues = new Map<string, TaintQueue>()
  #zones: ReadonlyMap<string, ZoneState> = new Map()

  constructor(parts: ControllerParts, pods: ObjectGroups<'pods'>) {
    this.#parts = parts
    this.#pods = pods
  }

  /** The taints that a node gets and loses at once: those that keep pods away. */
  async reconcileNode(name: string): Promise<Next> {
    await this.#changeTaints(name, (node) => withScheduleTaints(node, this.#now()))
    return settled
  }

  async monitor(): Promise<Next> {
    const { store, clock } = this.#parts
    const dueMs = clock.nowMs() + monitorIntervalMs
    const nodes = listObjects(store, 'nodes')
    const names = new Set(nodes.map(({ metadata }) => metadata.name))
    for (const name of this.#health.keys()) if (!names.has(name)) this.#health.delete(name)
    const tallies = new Map<string, ZoneTally>()
    for (const node of nodes) {
      const isUp = await this.#look(node)
      if (!countsInZone(node)) continue
      const { ready, notReady } = tallies.get(zoneOf(node)) ?? { ready: 0, notReady: 0 }
      tallies.set(zoneOf(node), isUp ? { ready: ready + 1, notReady } : { ready, notReady: notReady + 1 })
    }
    await this.#setPace(tallies, names)
    return againAt(dueMs)
  }

  /** Gives the taints that remove pods, to one node of a zone after the other. */
  async taintWaiting(): Promise<Next> {
    const { store, clock } = this.#parts
    for (const queue of this.#queues.values()) {
      for (let name = queue.take(clock.nowMs()); name !== undefined; name = queue.take(clock.nowMs())) {
        const node = getObject(store, 'nodes', name)
        const trouble = node === undefined ? undefined : troubleOf(node)
        if (trouble !== undefined) await this.#swapExecuteTaint(name, trouble)
      }
    }
    const times = [...this.#queues.values()].flatMap((queue) => queue.nextAtMs() ?? [])
    return againAt(...times.map((timeMs) => Math.max(timeMs, clock.nowMs() + taintIntervalMs)))
  }

  /** Whether it is up. */
  async #look(node: Node): Promise<boolean> {
    const { store, clock } = this.#parts
    const name = node.metadata.name
    const known = this.#health.get(name)
    // One that is seen for the first time, also after a restart, is taken to be reachable until it is looked at.
    if (known === undefined) await this.#changeTaints(name, (found) => withoutExecuteTaints(found))
    const lease = getObject(store, 'leases.coordination.k8s.io', `kube-node-lease/${name}`)
    const health = observeHealth(known, node, { lease, nowMs: clock.nowMs() })
    this.#health.set(name, health)
    const wasReady = readyOf(node)?.status === 'True'
    if (hasFallenSilent(health, node, clock.nowMs())) {
      const current = getObject(store, 'nodes', name) ?? node
      const conditions = silentConditions(current, this.#now())
      await writeStatus(this.#parts, 'nodes', current, { ...current.status, conditions })
    }
    const seen = getObject(store, 'nodes', name)
    if (seen === undefined || readyOf(seen) === undefined) return false
    await this.#followTrouble(seen)
    const isUp = troubleOf(seen) === undefined
    // Only of a node that we found silent ourselves: a kubelet that reports trouble knows its pods better.
    if (!isUp && wasReady) await this.#markPodsUnready(name)
    return isUp
  }

  async #followTrouble(node: Node): Promise<void> {
    const name = node.metadata.name
    const queue = this.#queueOf(node)
    const trouble = troubleOf(node)
    if (trouble === undefined) {
      queue.remove(name)
      await this.#changeTaints(name, (found) => withoutExecuteTaints(found))
      return
    }
    const has = executeTroublesOf(node)
    if (has.includes(trouble)) return
    // One trouble after the other: it has waited for its turn already.
    if (has.length > 0) await this.#swapExecuteTaint(name, trouble)
    else queue.add(name)
  }

  async #setPace(tallies: ReadonlyMap<string, ZoneTally>, names: ReadonlySet<string>): Promise<void> {
    const nowMs = this.#parts.clock.nowMs()
    const { states, rates, stopsAll, resumes } = decideDisruption(this.#zones, tallies)
    this.#zones = states
    if (stopsAll) {
      for (const name of names) await this.#changeTaints(name, (found) => withoutExecuteTaints(found))
    }
    if (resumes) {
      for (const [name, health] of this.#health) this.#health.set(name, { ...health, heardAtMs: nowMs })
    }
    for (const [zone, rate] of rates) this.#queueIn(zone).setRate(rate, nowMs)
  }

  #queueOf(node: Node): TaintQueue {
    return this.#queueIn(zoneOf(node))
  }

  #queueIn(zone: string): TaintQueue {
    let queue = this.#queues.get(zone)
    if (queue === undefined) this.#queues.set(zone, (queue = new TaintQueue()))
    return queue
  }

  /** The new one first: a node that changes from one trouble to the other is never without a taint. */
  async #swapExecuteTaint(name: string, key: string): Promise<void> {
    await this.#changeTaints(name, (node) => withExecuteTaint(node, key, this.#now()))
    await this.#changeTaints(name, (node) => withoutExecuteTaints(node, key))
  }

  async #changeTaints(name: string, change: (node: Node) => readonly Taint[]): Promise<void> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const node = getObject(this.#parts.store, 'nodes', name)
      if (node === undefined) return
      const taints = change(node)
      if (hasTaints(node, taints)) return
      const { taints: _, ...spec } = node.spec ?? {}
      const next = { ...node, spec: { ...spec, ...(taints.length === 0 ? {} : { taints }) } } as Node
      if ((await writeObject(this.#parts, 'nodes', next)) !== undefined) return
    }
  }

  async #markPodsUnready(nodeName: string): Promise<void> {
    for (const pod of this.#pods.in(nodeName)) {
      if (!isReady(pod)) continue
      const conditions = withCondition(pod.status?.conditions, { type: 'Ready', status: 'False' }, this.#now())
      await writeStatus(this.#parts, 'pods', pod, { ...pod.status, conditions })
    }
  }

  #now(): string {
    return timestamp(this.#parts.clock.nowMs())
  }
}
